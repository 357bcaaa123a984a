"""Operators on tensors, each by the fastest implementation that the device has."""
