import pytest
from support import four_bit_files
from support.checkpoints import encoder, old_state, roberta, tokens  # noqa: F401


@pytest.fixture
def small_file(tmp_path):
    path = tmp_path / "encoder.bin"
    path.write_bytes(four_bit_files.make().content())
    return path
