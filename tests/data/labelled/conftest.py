import gzip

import pytest


@pytest.fixture
def write(tmp_path):
    """A function that writes a text (or bytes) to a file, gzipped if its name says so, and returns the path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write
