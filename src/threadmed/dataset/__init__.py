"""From Reddit dumps to de-identified threads; the door is `build.build`."""
