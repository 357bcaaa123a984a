import gzip

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines


def test_the_command_for_another_encoding_reads_compressed_files_and_tables(tmp_path):
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress("é\tb\n".encode("UTF-16")))
    with pytest.raises(XalignError) as error:
        list(read_lines(f"{tmp_path}/t.tsv.gz#1"))
    assert f"gzip -dc {tmp_path}/t.tsv.gz | iconv -f UTF-16 -t UTF-8 > NEW.tsv" in str(error.value)
