from finished_runs import right, write_run  # noqa: F401
