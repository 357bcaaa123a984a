"""Commands, processes, devices and runs."""
