"""What stands on the encoder in a transfer task: features of its layers, and the task's own output layer."""
