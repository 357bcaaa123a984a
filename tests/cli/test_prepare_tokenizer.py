"""Data-bins with the tokenizer of a pretrained model, and what the other commands make of them."""

import pytest
from support.text import LINES, train_symbols, write_bert

from xalign_fairseq.cli import main
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer, from_vocabulary


@pytest.fixture(scope="module")
def symbols():
    return train_symbols(LINES)


@pytest.fixture(scope="module")
def checkpoint(symbols, tmp_path_factory):
    path = tmp_path_factory.mktemp("bert") / "bert.pt"
    write_bert(path, symbols)
    return path


@pytest.fixture(scope="module")
def data(checkpoint, tmp_path_factory):
    """A data-bin of a bitext with links and of monolingual text, made with the checkpoint's tokenizer."""
    folder = tmp_path_factory.mktemp("text")
    (folder / "train.xx").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    (folder / "train.yy").write_text("".join(f"{line}\n" for line in reversed(LINES)), encoding="utf-8")
    (folder / "train.gold").write_text("0-0\n" * len(LINES))
    main([
        "prepare", "--out", str(folder / "bin"), "--tokenizer", str(checkpoint), "--pair", "xx-yy",
        "--trainpref", str(folder / "train"), "--links", str(folder / "train.gold"), "--mono", f"xx={folder}/train.xx",
    ])  # fmt: skip
    return DataBin(folder / "bin")


def test_the_data_have_the_models_ids(data, symbols):
    tokenizer = WordPieceTokenizer(*from_vocabulary(symbols, lowercase=False))
    expected = [[*tokenizer.encode(line), 2] for line in LINES]
    src, tgt = data.pair("train", "xx", "yy")
    assert [item.tolist() for item in src] == expected == [item.tolist() for item in tgt][::-1]
    assert [item.tolist() for item in data.mono("train", "xx")] == expected
    links = data.links("train", "xx", "yy")
    assert [links[i][0].tolist() for i in range(len(LINES))] == [
        tokenizer.encode_words(line.split())[1] for line in LINES
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--spm", "x.model"), "two tokenizers"),
        (("--dict", "dict.txt"), "where: --dict"),
        (("--vocab-size", "9"), "existing one is given"),
        (("--tokenizer", "nowhere.pt"), "does not exist"),
    ],
)
def test_bad_options(checkpoint, tmp_path, options, message, capsys):
    (tmp_path / "a.xx").write_text("a\n")
    for name in ("x.model", "dict.txt"):
        (tmp_path / name).write_text("x 1\n")
    paths = [str(tmp_path / value) if index else value for index, value in enumerate(options)]
    options = options if options[0] == "--vocab-size" else paths
    code = main([
        "prepare", "--out", str(tmp_path / "bin"), "--mono", f"xx={tmp_path}/a.xx", "--tokenizer", str(checkpoint),
        *options,
    ])  # fmt: skip
    assert code and message in capsys.readouterr().err
    assert not (tmp_path / "bin").exists()


def test_a_trimmed_vocabulary_tells_how_to_train_from_it(checkpoint, tmp_path, capsys):
    for side in ("xx", "yy"):
        (tmp_path / f"train.{side}").write_text("".join(f"{line}\n" for line in LINES[:2]), encoding="utf-8")
    out = tmp_path / "bin"
    line = ["prepare", "--out", str(out), "--pair", "xx-yy", "--trainpref", str(tmp_path / "train")]
    assert main([*line, "--tokenizer", str(checkpoint), "--trim-vocabulary"]) == 0
    assert f"fairseq-train {out} ... --init-checkpoint {out}" in capsys.readouterr().out
    assert main([*line, "--overwrite", "--trim-vocabulary"]) == 2
    assert "where: --trim-vocabulary" in capsys.readouterr().err
