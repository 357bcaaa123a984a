"""Files, JSON, errors, devices and processes: what every other room builds on."""
