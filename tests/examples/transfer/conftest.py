from support.transfer_data import right, write_run  # noqa: F401
