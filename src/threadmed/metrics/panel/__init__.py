"""How good a panel is: agreement of its judges, and what each of them changes."""
