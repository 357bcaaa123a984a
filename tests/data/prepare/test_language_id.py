"""The language of a line by a fastText model, in files as fastText writes them."""

import struct

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.prepare.language_id import in_language, require_model
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import MonoSource, PrepareOptions

WORDS = {"ab": (9.0, 0.0), "λ": (0.0, 9.0)}  # what speaks for en, and for el


def write_model(path):
    """A supervised model of words alone, fastText's file format 12."""
    labels = {"__label__en": (1.0, 0.0), "__label__el": (0.0, 1.0)}
    # dim ws epoch minCount neg wordNgrams softmax supervised ...
    numbers = [2, 5, 5, 1, 5, 1, 3, 3, 0, 0, 0, 100]
    parts = [struct.pack("<ii12id", 793712314, 12, *numbers, 1e-4)]
    parts.append(struct.pack("<iiiqq", len(WORDS) + len(labels), len(WORDS), len(labels), 10, -1))
    for kind, names in enumerate((WORDS, labels)):
        parts += [name.encode() + b"\0" + struct.pack("<qb", 5, kind) for name in names]
    for rows in (WORDS.values(), labels.values()):
        parts.append(struct.pack("<?qq", False, len(rows), 2) + b"".join(struct.pack("<2f", *row) for row in rows))
    path.write_bytes(b"".join(parts))
    return str(path)


@pytest.fixture
def model(tmp_path):
    pytest.importorskip("fasttext", reason="pip install fasttext-predict")
    return write_model(tmp_path / "lid.bin")


def test_the_most_probable_language_counts(model):
    lines = ["ab cd", "λ ab λ", "λ", "cd", ""]
    assert in_language(model, "en", lines).tolist() == [True, False, False, False, False]
    assert in_language(model, "el_GR", lines).tolist() == [False, True, True, False, False]
    assert in_language(model, "en", []).tolist() == []


def test_what_can_not_be_told_is_said_before_any_work(model, tmp_path):
    require_model(model)
    with pytest.raises(XalignError, match="there is no language identification model"):
        require_model(tmp_path / "none.bin")
    (tmp_path / "text.bin").write_text("no model at all")
    with pytest.raises(XalignError, match="not a fastText model"):
        prepare(PrepareOptions(tmp_path / "d", mono=[MonoSource("train", "en", (str(tmp_path / "text.bin"),))],
                               filters=Filters(language_model=str(tmp_path / "text.bin"))))  # fmt: skip
    assert not (tmp_path / "d").exists()
