import pytest

from tests.examples.recipes import load
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, UNK, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import CONTROL, UNKNOWN, Piece, make_unigram

[first_pairs] = load("ppa", "first_pairs")
SIZES = [(5, 10), (10, 9), (10, 10), (60, 66), (15, 12), (60, 65), (11, 11)]  # tokens of both sides


@pytest.fixture
def text(tmp_path):
    """A text in which each word is a token; and the options of its model."""
    special = Piece(UNK, 0.0, UNKNOWN), Piece(BOS, 0.0, CONTROL), Piece(EOS, 0.0, CONTROL)
    (tmp_path / "a.model").write_bytes(make_unigram([*special, Piece("▁a", -1.0)], b""))
    Dictionary(["▁a"]).save(tmp_path / "dict.txt")
    for side, name in enumerate(("de", "en")):
        (tmp_path / f"train.{name}").write_text("".join("a " * pair[side] + "\n" for pair in SIZES))
    return tmp_path, ["--spm", str(tmp_path / "a.model"), "--dict", str(tmp_path / "dict.txt")]


@pytest.mark.parametrize(("pairs", "kept"), [(2, [2, 4]), (3, [2, 4, 5]), (9, [2, 4, 5, 6])])
def test_pairs_that_training_would_skip_do_not_count(text, monkeypatch, capsys, pairs, kept):
    folder, model = text
    monkeypatch.setattr("sys.argv", ["first_pairs.py", str(folder), "de", "en", str(pairs), *model])
    first_pairs.main()
    for name in ("de", "en"):
        lines = (folder / f"train.{name}").read_text().splitlines()
        assert (folder / f"first-{pairs}.{name}").read_text().splitlines() == [lines[at] for at in kept]
    assert f"{len(kept)} pairs of the first 7" in capsys.readouterr().err


def test_without_a_tokenizer_all_pairs_count(text, monkeypatch):
    folder, _ = text
    monkeypatch.setattr("sys.argv", ["first_pairs.py", str(folder), "de", "en", "2", "--vocab-size", "90"])
    first_pairs.main()
    assert len((folder / "first-2.de").read_text().splitlines()) == 2
