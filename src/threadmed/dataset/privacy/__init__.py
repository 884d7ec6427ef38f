"""What keeps a thread from leading back to the people in it."""
