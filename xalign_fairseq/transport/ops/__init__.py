"""Operators on tensors, each by the fastest implementation for the device."""
