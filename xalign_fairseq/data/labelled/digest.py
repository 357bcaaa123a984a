"""Digests of labelled files."""

import hashlib
from pathlib import Path

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.labelled.bitext import english_file
from xalign_fairseq.data.labelled.lines import open_bytes
from xalign_fairseq.data.labelled.sentence_pairs import labels_file


def digest(path: StrPath) -> str:
    """First 12 hexadecimal digits of the SHA-256 of a file's content, decompressed, and of what is read with it.

    That is the file of labels next to a file of pairs, and the English side of a bitext, appended.
    """
    content = hashlib.sha256()
    for each in (Path(path), labels_file(path), english_file(path)):
        if each is not None:
            with open_bytes(each) as stream:
                while block := stream.read(1 << 20):
                    content.update(block)
    return content.hexdigest()[:12]
