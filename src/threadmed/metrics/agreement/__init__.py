"""How far raters agree: experts with judges, and with each other; the door is `agree`."""
