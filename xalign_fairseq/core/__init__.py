"""Files, JSON, errors, devices and processes: the base of all other rooms."""
