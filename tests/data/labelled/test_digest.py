"""Digests of labelled files: of the content, decompressed, and of the files next to it."""

import gzip
import hashlib

from xalign_fairseq.data.labelled.digest import digest


def test_the_digest_is_that_of_the_decompressed_content(tmp_path):
    content = b"a\tb\n" * 1000
    (tmp_path / "x.json").write_bytes(content)
    (tmp_path / "y.json.gz").write_bytes(gzip.compress(content))
    expected = hashlib.sha256(content).hexdigest()[:12]
    assert digest(tmp_path / "x.json") == digest(tmp_path / "y.json.gz") == expected


def test_the_digest_covers_labels_and_translations(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    path = write("test-de.tsv", b"a\tb\n")
    write("test.labels", b"1\n")
    assert digest(path) == hashlib.sha256(b"a\tb\n1\n").hexdigest()[:12]
    path = write("en-de.de", b"eins\n")
    write("en-de.en", b"one\n")
    assert digest(path) == hashlib.sha256(b"eins\none\n").hexdigest()[:12]
