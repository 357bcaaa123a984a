import argparse
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.processes import group_is_gone, wait_for
from support.text import LINES, train_symbols, write_bert
from support.warm_start import BIN

from xalign_fairseq.cli import main
from xalign_fairseq.cli.prepare import PairGroup, add_arguments, pair_sources
from xalign_fairseq.core.text import corpus
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare.sources import PairSource
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer, from_vocabulary


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Two pairs of 40 training and 4 validation lines, links for both."""
    for pair in ("en-de", "en-fr"):
        for name, count in (("train", 40), ("valid", 4)):
            for lang in pair.split("-"):
                lines = [f"{lang}{k % 7} word{k} x{k % 5}\n" for k in range(count)]
                (tmp_path / f"{name}.{pair}.{lang}").write_text("".join(lines))
            (tmp_path / f"{name}.{pair}.gold").write_text("0-0 1p1\n" * count)
    return tmp_path


def parse(*options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(["--out", "d", *options])


def test_options_after_a_pair_belong_to_it():
    args = parse(
        "--pair", "en-de", "--trainpref", "a", "--links", "b.gold", "--validpref", "b",
        "--mono", "en=x", "--pair", "fr-en", "--testpref", "c", "--links", "test=other",
    )  # fmt: skip
    assert [source for group in args.pairs for source in pair_sources(group)] == [
        PairSource("train", "en", "de", "a.en", "a.de"),
        PairSource("valid", "en", "de", "b.en", "b.de", "b.gold"),
        PairSource("test", "fr", "en", "c.fr", "c.en", "other"),
    ]
    assert not hasattr(args, "trainpref")


@pytest.mark.parametrize(
    ("value", "split"),
    [
        ("d/valid.gold", "valid"),
        ("d/validation.gold", "train"),
        ("elsewhere.links", "train"),
        ("test=d/valid.gold", "test"),
        ("d/train.test.gold", "test"),
    ],
)
def test_links_belong_to_the_split_of_their_prefix(value, split):
    group = PairGroup("en", "de", {"train": "d/train", "valid": "d/valid", "test": "d/train.test"}, [value])
    assert group.links() == {split: value.removeprefix("test=")}


def test_filters_and_shards_of_the_command_line(texts, capsys, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 10)
    train = ["--pair", "en-de", "--trainpref", f"{texts}/train.en-de"]
    assert main(["prepare", "--out", str(texts / "a"), "--vocab-size", "60", *train]) == 0
    whole = DataBin(texts / "a").pair("train", "en", "de")[0]
    model = ["--spm", f"{texts}/a/sentencepiece.model"]
    for k in range(2):
        command = ["prepare", "--out", str(texts / f"s{k}"), *model, *train, "--shard", f"{k}/2"]
        assert main([*command, "--validpref", f"{texts}/valid.en-de"]) == 0
    shards = [DataBin(texts / f"s{k}") for k in range(2)]
    read = [item.tolist() for shard in shards for item in shard.pair("train", "en", "de")[0]]
    assert read == [item.tolist() for item in whole]
    assert [len(shard.pair("valid", "en", "de")[0]) for shard in shards] == [4, 4]
    capsys.readouterr()
    filters = ["--min-length", "2", "--max-length", "999", "--max-length-ratio", "9"]
    (texts / "train.en-de.en").write_text("a b c\n" * 40)
    (texts / "train.en-de.de").write_text("d e f\n" * 39 + "d e " * 999 + "\n")
    assert main(["prepare", "--out", str(texts / "f"), *model, *train, *filters]) == 0
    assert "train en-de: 39 pairs; dropped: 1 too long;" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        parse("--shard", "1of2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trainpref", "a"], "--trainpref belongs to a pair"),
        (["--links", "x", "--pair", "en-de"], "--links belongs to a pair"),
        (["--pair", "ende"], "en-de; found 'ende'"),
        (["--pair", "en-de", "--trainpref", "a", "--trainpref", "b"], "twice for --pair en-de"),
    ],
)
def test_wrong_usage(capsys, options, message):
    with pytest.raises(SystemExit) as exit:
        parse(*options)
    assert exit.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pair", "en-de"], "a pair has no text"),
        (["--pair", "en-de", "--validpref", "v", "--links", "x"], "links file belongs to no text of en-de"),
        (["--pair", "en-de", "--trainpref", "t", "--links", "x", "--links", "y"], "two links files for train of en-de"),
        (["--pair", "en-de", "--trainpref", "t", "--links", "foo=x"], "there is no split foo"),
        (["--mono", "en=x", "--workers", "0"], "where: --workers"),
        (["--mono", "en=x", "--spm", "m", "--vocab-size", "100"], "where: --vocab-size, --spm"),
        (["--mono", "en=x", "--tokenizer", "t", "--vocab-size", "9"], "existing one is given"),
        (["--mono", "en=x"], "files do not exist"),
        (["--mono", "x"], "where: --mono\n  found: x\n"),
        (["--mono-valid", "x"], "where: --mono-valid\n  found: x\n"),
        ([], "nothing to prepare"),
    ],
)
def test_contradictions_give_exit_code_2(tmp_path, capsys, options, message):
    assert main(["prepare", "--out", str(tmp_path / "d"), *options]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_several_pairs_links_and_monolingual_text(texts, capsys):
    options = ["prepare", "--out", str(texts / "d"), "--vocab-size", "60"]
    for pair in ("en-de", "en-fr"):
        options += ["--pair", pair]
        for split in ("train", "valid"):
            prefix = f"{texts}/{split}.{pair}"
            options += [f"--{split}pref", prefix, "--links", f"{prefix}.gold"]
    options += ["--mono", f"en={texts}/train.en-de.en", "--mono-valid", f"en={texts}/valid.en-de.en"]
    before = signal.getsignal(signal.SIGTERM)
    assert main(options) == 0
    assert signal.getsignal(signal.SIGTERM) == before
    data = DataBin(texts / "d")
    assert data.pairs == [(s, "en", t) for s in ("train", "valid") for t in ("de", "fr")]
    assert data.monos == [("train", "en"), ("valid", "en")]
    assert len(data.pair("train", "en", "fr")[0]) == 40
    links = data.links("valid", "en", "de")
    assert links is not None
    assert links[3][2].tolist() == [[0, 0, 1], [1, 1, 0]]
    out = capsys.readouterr().out
    assert "train en-de: 40 pairs; dropped: none;" in out
    assert "links: 4 sure, 4 possible" in out
    assert "valid en: 4 sentences" in out
    assert main(options) == 2  # the folder exists now
    assert "--overwrite" in capsys.readouterr().err


def start(texts: Path) -> "subprocess.Popen[bytes]":
    """Start ``prepare --overwrite`` with two workers and wait until it writes ids."""
    lines = "".join(f"some words {k} of line {k * 7919 % 100003}\n" for k in range(150_000))
    for lang in ("en", "de"):
        (texts / f"large.{lang}").write_text(lines)
    (texts / "d").mkdir()
    (texts / "d" / "manifest.json").write_text("old")
    train = ["--pair", "en-de", "--trainpref", f"{texts}/train.en-de"]
    assert main(["prepare", "--out", str(texts / "a"), "--vocab-size", "60", *train]) == 0
    command = [BIN / "xalign", "prepare", "--out", str(texts / "d"), "--overwrite"]
    command += ["--spm", f"{texts}/a/sentencepiece.model", "--workers", "2"]
    command += ["--pair", "en-de", "--trainpref", f"{texts}/large"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None:
        if any(path.stat().st_size > 0 for path in texts.glob(".d.*.tmp/train.en-de.en.bin")):
            return process
        time.sleep(0.002)
    raise AssertionError(f"it ended with exit code {process.returncode} before it could be stopped")


@pytest.mark.slow
def test_a_kill_in_the_middle_keeps_the_old_data_bin_and_ends_the_workers(texts):
    process = start(texts)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert {path.name for path in (texts / "d").iterdir()} == {"manifest.json"}
    wait_for(lambda: group_is_gone(process.pid))


@pytest.fixture(scope="module")
def symbols():
    return train_symbols(LINES)


@pytest.fixture(scope="module")
def data(symbols, tmp_path_factory):
    """A data-bin of a bitext with links and of monolingual text, made with a checkpoint's tokenizer."""
    folder = tmp_path_factory.mktemp("text")
    write_bert(folder / "bert.pt", symbols)
    (folder / "train.xx").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    (folder / "train.yy").write_text("".join(f"{line}\n" for line in reversed(LINES)), encoding="utf-8")
    (folder / "train.gold").write_text("0-0\n" * len(LINES))
    main([
        "prepare", "--out", str(folder / "bin"), "--tokenizer", f"{folder}/bert.pt", "--pair", "xx-yy",
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


def test_a_trimmed_vocabulary_shows_how_to_train_from_it(tiny_checkpoint, tmp_path, capsys):
    for side in ("xx", "yy"):
        (tmp_path / f"train.{side}").write_text("".join(f"{line}\n" for line in LINES[:2]), encoding="utf-8")
    out = tmp_path / "bin"
    line = ["prepare", "--out", str(out), "--pair", "xx-yy", "--trainpref", str(tmp_path / "train")]
    assert main([*line, "--tokenizer", f"{tmp_path}/no.pt"]) == 2 and "does not exist" in capsys.readouterr().err
    assert main([*line, "--tokenizer", str(tiny_checkpoint), "--trim-vocabulary"]) == 0
    assert f"fairseq-train {out} ... --init-checkpoint {out}" in capsys.readouterr().out
    assert main([*line, "--overwrite", "--trim-vocabulary"]) == 2
    assert "where: --trim-vocabulary" in capsys.readouterr().err
