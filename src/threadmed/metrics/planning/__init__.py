"""What a study of a size can see; the door is `plan_study`."""
