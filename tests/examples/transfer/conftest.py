from support.transfer_data import right, write_run  # noqa: F401

from tests.examples.servers import server  # noqa: F401
