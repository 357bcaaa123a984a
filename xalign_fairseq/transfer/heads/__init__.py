"""The parts on top of the encoder in a transfer task: features of its layers, and the task's output layer."""
