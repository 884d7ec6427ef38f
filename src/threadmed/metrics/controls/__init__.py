"""What is to be known of the questions: controls, harm, and labels that may be wrong."""
