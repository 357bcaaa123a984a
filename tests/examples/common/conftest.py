from tests.examples.servers import server  # noqa: F401
