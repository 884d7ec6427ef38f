"""From a post and its comments to a thread, and why it is as it is."""
