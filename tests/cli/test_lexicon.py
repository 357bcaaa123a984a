import hashlib

import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import TRAINED
from xalign_fairseq.data.tokenizers.tokenizer import dictionary_of_model, load_sentencepiece


@pytest.fixture
def data(tmp_path, tiny_spm):
    folder = tmp_path / "data-bin"
    folder.mkdir()
    (folder / "sentencepiece.model").write_bytes(tiny_spm)
    dictionary_of_model(load_sentencepiece(tiny_spm)).save(folder / "dict.txt")
    return DataBin(folder)


@pytest.fixture
def dictionary(tmp_path):
    """A TSV file of known and unknown words."""
    path = tmp_path / "words.tsv"
    lines = ["the\told", "red house\tbig tree", "house\ttree", "house\triver", "Ж\tcat", "cat\t", "dogs\tdogs",
             "house\ttree", "see\trun", "sing\thome"]  # fmt: skip
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run(data, *options):
    return main([str(part) for part in ("lexicon", data.path, *options)])


def test_text(data, dictionary, capsys):
    assert run(data, "--pair", "en-xx", "--from", dictionary, "--fraction", 0.5, "--held-out", 0.2) == 0
    out = capsys.readouterr().out
    assert "en-xx: 10 entries; dropped: 1 one-sided, 1 with unknown symbols, 1 identical, 1 duplicate" in out
    assert "of 5 source words" in out
    lexicon = lexicons.read(data, "en", "xx")
    tokenizer = data.tokenizer
    kept = [("the", "old"), ("red house", "big tree"), ("house", "tree"), ("house", "river"), ("see", "run"),
            ("sing", "home")]  # fmt: skip
    sides = [[[i for i in row if i != 1] for row in side.tolist()] for side in lexicon.padded()]
    assert sides == [[tokenizer.encode(pair[side]) for pair in kept] for side in (0, 1)]
    about = lexicons.read_about(data, "en", "xx")
    assert about["sources"] == [
        {"file": str(dictionary), "format": "tsv", "sha256": hashlib.sha256(dictionary.read_bytes()).hexdigest()}
    ]
    assert about["options"] == {"fraction": 0.5, "held_out": 0.2, "seed": 1}
    assert about["counts"]["kept"] == 6 and about["pieces"] is False


def test_a_replaced_lexicon_follows_its_options(data, dictionary, capsys):
    assert run(data, "--pair", "en-xx", "--from", dictionary) == 0
    first = lexicons.read(data, "en", "xx")
    assert run(data, "--pair", "en-xx", "--from", dictionary, "--seed", 2) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert lexicons.read(data, "en", "xx").digest == first.digest
    assert run(data, "--pair", "en-xx", "--from", dictionary, "--held-out", 0, "--overwrite") == 0
    assert (lexicons.read(data, "en", "xx").part == TRAINED).all()


def test_several_files_of_several_formats(data, dictionary, tmp_path):
    (tmp_path / "more.txt").write_text("now home\nriver trees\n")
    tei = "<TEI><entry><form><orth>cat</orth></form><sense><cit type='trans'><quote>dogs</quote></cit></sense></entry>"
    (tmp_path / "cat.tei").write_text(f"{tei}</TEI>")
    assert run(data, "--pair", "en-xx", "--from", dictionary, tmp_path / "more.txt", tmp_path / "cat.tei") == 0
    about = lexicons.read_about(data, "en", "xx")
    assert [source["format"] for source in about["sources"]] == ["tsv", "muse", "tei"]
    assert about["counts"]["read"] == 10 + 2 + 1 and about["counts"]["kept"] == 6 + 2 + 1


def test_bad_input(data, dictionary, tmp_path, capsys):
    def error(*options):
        assert run(data, *options) == 2
        return capsys.readouterr().err

    pair = ("--pair", "en-xx", "--from")
    assert "outside (0, 1]" in error(*pair, dictionary, "--fraction", 0)
    assert "does not exist" in error(*pair, tmp_path / "none.tsv")
    assert "no entry of the dictionary" in error(*pair, dictionary, "--pieces")
    (data.path / "sentencepiece.model").unlink()
    assert "has no tokenizer" in error(*pair, dictionary)
    assert lexicons.lexicons(data) == []
    with pytest.raises(SystemExit):
        run(data, "--pair", "en", "--from", dictionary)
