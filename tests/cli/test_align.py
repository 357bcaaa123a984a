import json
import logging
import os
import re
import subprocess
import sys

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.core.devices import fast_bfloat16
from xalign_fairseq.links.pharaoh import check_bounds, read_links


@pytest.fixture
def align(tiny_checkpoint, tiny_text):
    """Run ``xalign align`` on the text in this process; return the exit code."""

    def run(*options, src=tiny_text / "text.en", tgt=tiny_text / "text.xx"):
        texts = ["--src", src, "--tgt", tgt] if src else []
        return main([str(part) for part in ("align", "--model", tiny_checkpoint, *texts, *options)])

    return run


def lengths(folder):
    sides = [(folder / f"text.{name}").read_text().splitlines() for name in ("en", "xx")]
    return [(len(src.split()), len(tgt.split())) for src, tgt in zip(*sides, strict=True)]


def test_a_line_of_links_for_each_pair(align, tiny_text, tmp_path, capsys, caplog):
    caplog.set_level(logging.WARNING)  # importing fairseq in other tests enables notes
    assert align("--out", tmp_path / "new/folder/links") == 0
    links = read_links(tmp_path / "new/folder/links")
    check_bounds(links, lengths(tiny_text), where="out")
    assert len(links) == 40
    assert [k for k, found in enumerate(links) if not found] == [3, 7, 9]
    captured = capsys.readouterr()
    assert captured.out == ""
    count = sum(map(len, links))
    dtype = "bfloat16" if fast_bfloat16(torch.device("cpu")) else "float32"
    told = rf"40 pairs, 2 with one empty side .first: line 4., {count} links in \S+/folder/links \([0-9.]+ pairs/s\); "
    told += rf"layer 1 of 3, joint encoding, hidden similarity, .+, cpu, {dtype}\n"
    told = rf"(Sinkhorn on [^\n]+\n)?{told}"  # logged once per process
    assert re.fullmatch(told, captured.err)
    assert align("--verbose") == 0
    assert ("the encoder computes in bfloat16" in capsys.readouterr().err) == (dtype == "bfloat16")


@pytest.mark.parametrize("processes", [1, 2])
def test_text_in_a_script_that_the_vocabulary_lacks(align, tmp_path, capsys, processes):
    (tmp_path / "src").write_text("the cat\n" * 40)
    (tmp_path / "tgt").write_text("แมว กิน\n" * 40)
    options = ["--quiet", "--device", "cpu", "--processes", processes, "--out", tmp_path / "links"]
    assert align(*options, src=tmp_path / "src", tgt=tmp_path / "tgt") == 0
    said = capsys.readouterr().err
    told = r"warning: [0-9]+ of [0-9]+ tokens are unknown to the model's vocabulary, most of them in Thai script: links"
    assert re.fullmatch(told + r" of these words are unreliable; links by --from-scratch may be better\n", said), said


def test_both_inputs_both_outputs_and_batch_sizes_agree(align, tiny_text, tmp_path, capsys):
    assert align("--quiet") == 0
    expected, quiet = capsys.readouterr()
    assert quiet == ""
    assert align("--pairs", tiny_text / "text.pairs", "--batch-tokens", 20, src=None) == 0
    assert capsys.readouterr().out == expected
    assert align("--format", "json", "--out", tmp_path / "json", "--batch-tokens", 100) == 0
    rows = [json.loads(line) for line in (tmp_path / "json").read_text().splitlines()]
    assert [" ".join(f"{i}-{j}" for i, j, _ in row["links"]) for row in rows] == expected.splitlines()
    assert [(len(row["src"]), len(row["tgt"])) for row in rows] == lengths(tiny_text)
    assert all(0 < probability <= 1 for row in rows for *_, probability in row["links"])


def test_raw_text_is_aligned_by_words_that_are_found_in_it(align, tmp_path, capsys):
    pytest.importorskip("icu4py", reason="pip install icu4py")
    lines = {"src": ["我们喜欢看书。", "我们 喜欢 书 。", ""], "tgt": ["We can't read, U.S.", "ผมชอบกินข้าว", "a"]}
    for side, each in lines.items():
        (tmp_path / side).write_text("\n".join(each) + "\n")
    files = {side: tmp_path / side for side in lines}
    words = {
        "auto": (["我们", "喜欢", "看书", "。"], ["We", "can't", "read,", "U.S."], ["ผม", "ชอบ", "กิน", "ข้าว"]),
        "icu": (["我们", "喜欢", "看书", "。"], ["We", "can't", "read", ",", "U.S", "."], ["ผม", "ชอบ", "กิน", "ข้าว"]),
        "auto,spaces": (["我们", "喜欢", "看书", "。"], ["We", "can't", "read,", "U.S."], ["ผมชอบกินข้าว"]),
    }
    for segment, (src, tgt, thai) in words.items():
        assert align("--quiet", "--segment", segment, "--out", tmp_path / "out.jsonl", **files) == 0
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert (rows[0]["src"], rows[0]["tgt"], rows[1]["tgt"]) == (src, tgt, thai)
        assert rows[1]["src"] == ["我们", "喜欢", "书", "。"] and rows[2]["src"] == []
        for row, *texts in zip(rows, lines["src"], lines["tgt"], strict=True):
            assert [row["src_text"], row["tgt_text"]] == texts
            assert [row["tgt_text"][start:stop] for start, stop in row["tgt_chars"]] == row["tgt"]
        assert align("--quiet", "--segment", segment, "--out", tmp_path / "out.links", **files) == 0
        assert [set(each) for each in read_links(tmp_path / "out.links")] == [
            {(i, j) for i, j, _ in row["links"]} for row in rows
        ]
    capsys.readouterr()
    for segment, told in (("auto", True), ("spaces", False)):
        assert align("--segment", segment, "--out", tmp_path / "out.links", **files) == 0
        assert ("3 pairs, 2 cut into words by ICU, " in capsys.readouterr().err) is told


def test_each_line_of_a_pipe_is_answered_before_the_next_one_comes(tiny_checkpoint):
    command = [sys.executable, "-m", "xalign_fairseq", "align", "--model", tiny_checkpoint, "--pairs", "-", "--quiet"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*map(str, command)], **pipes, text=True, env=buffered) as process:
        for _ in range(3):
            process.stdin.write("the cat ||| the cat\n")
            process.stdin.flush()
            assert "-" in process.stdout.readline()
        process.stdin.close()
        assert process.stdout.read() == ""
    assert process.returncode == 0


def test_a_line_that_is_too_long_is_reported_and_empty(align, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES", 400)
    (tmp_path / "text").write_text("the red house\n" + "red " * 100 + "\nthe red house\n")
    (tmp_path / "more").write_text((tmp_path / "text").read_text() + "\n")
    (tmp_path / "text").write_text((tmp_path / "text").read_text() + "house\n")
    assert align(src=tmp_path / "text", tgt=tmp_path / "more") == 0
    out, err = capsys.readouterr()
    first, second, third, fourth, _ = out.split("\n")
    assert first == third != "" and second == fourth == ""
    assert "warning: line 2 is too long to align and has no links: 100 x 100 words" in err
    assert "4 pairs, 1 too long, 1 with one empty side (first: line 4), " in err
    sides = ((tmp_path / name).read_text().split("\n")[:4] for name in ("text", "more"))
    unit = "<tu><tuv xml:lang='en'><seg>{}</seg></tuv><tuv xml:lang='de'><seg>{}</seg></tuv></tu>\n"
    memory = "".join(unit.format(*pair) for pair in zip(*sides, strict=True))
    (tmp_path / "a.tmx").write_text(f"<tmx>\n\n{memory}</tmx>")
    assert align(src=f"{tmp_path}/a.tmx#en", tgt=f"{tmp_path}/a.tmx#de") == 0
    assert "warning: unit 2 is too long" in (err := capsys.readouterr().err) and "(first: unit 4)" in err


def test_runs_in_a_process_without_unneeded_modules(tiny_checkpoint, tiny_text, tmp_path):
    others = "fairseq transformers matplotlib sympy torch._dynamo torch._inductor google.protobuf scipy"
    code = (
        "import sys; from xalign_fairseq.cli import main; code = main(sys.argv[1:]);"
        f"found = set('{others}'.split()) & sys.modules.keys(); assert not found, found; sys.exit(code)"
    )
    command = ["align", "--model", tiny_checkpoint, "--src", tiny_text / "text.en", "--tgt", tiny_text / "text.xx"]
    done = subprocess.run([sys.executable, "-c", code, *map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 40
    assert "%|" not in done.stderr  # no progress bar without a terminal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--layer", "4"), "no such layer"),
        (("--layer", "-5"), "no such layer"),
        (("--pairs", "text"), "--src --tgt --pairs"),
        (("--gold", "text.gold"), "add --plot"),
    ],
)
def test_bad_options(align, options, message, capsys):
    assert align(*options) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err
