"""The scripts of the ALIGN-MLM recipe: training options, data, and the order of the study."""

import itertools
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.examples.stand_ins import run_script

# Records its arguments and makes the files that the next step reads.
XALIGN = f"""#!{sys.executable} -S
import pathlib, sys
command, *rest = sys.argv[1:]
with open(pathlib.Path(__file__).parent / "calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
folder = pathlib.Path(rest[rest.index("--out") + 1] if "--out" in rest else rest[0])
folder.mkdir(parents=True, exist_ok=True)
if command == "lexicon":
    (folder / "lexicon.en-xx.json").touch()
for name in ("sentencepiece.model", "dict.txt", "lexicon.en-xx.tsv", "train.en.bin"):
    (folder / name).touch()
if command == "derive":
    for ending in ("en", "xx", "links"):
        (folder / ("english.en-xx." + ending)).write_text("".join(str(i) + "\\n" for i in range(4000)))
if command == "prepare" and "--trainpref" in rest:
    prefix = rest[rest.index("--trainpref") + 1]
    (folder / "pairs").write_text(open(prefix + ".en").read())
    (folder / "text").write_text(open(rest[rest.index("--mono") + 1].removeprefix("en=")).read())
    (folder / "held-out").write_text(open(rest[rest.index("--validpref") + 1] + ".xx").read())
"""


def options_of(folder, objective, language="trans_inv", data=None, **variables):
    """The options that 2_train.sh passes to fairseq-train, as ``{option: value}``, and its data-bin."""
    (folder / "data" / (data or language)).mkdir(parents=True, exist_ok=True)
    done = run_script(folder, "align_mlm/2_train.sh", folder, folder / "runs", objective, language, "1", **variables)
    assert done.returncode == 0, done.stderr
    arguments = json.loads(done.stdout)
    values = {name: value for name, value in itertools.pairwise(arguments) if name.startswith("--")}
    return values, Path(arguments[0]).name


@pytest.mark.parametrize(
    ("variables", "data", "pairs", "mono"),
    [
        # with f pairs per sentence TLM has f / (1 + f): a fifth, an eleventh, a half; the rest is whole blocks of 64
        ({}, "trans_inv", 409, 26 * 64),
        ({"PARALLEL": "10", "MAX_TOKENS": "4096"}, "trans_inv.parallel10", 372, 59 * 64),
        ({"PARALLEL": "100"}, "trans_inv.parallel100", 1024, 1024),
        ({"PARALLEL": "100", "MAX_TOKENS": "65536"}, "trans_inv.parallel100", 32768, 32768),
        ({"OVERLAP": "25"}, "trans_inv.overlap25", 409, 26 * 64),
        ({"OVERLAP": "25", "PARALLEL": "1", "MAX_TOKENS": "65536"}, "trans_inv.overlap25.parallel1", 648, 1014 * 64),
    ],
)
def test_xlm_divides_the_tokens_of_an_update(tmp_path, variables, data, pairs, mono):
    found, bin_ = options_of(tmp_path, "xlm", data=data, **variables)
    assert (bin_, found["--max-tokens"], found["--mono-max-tokens"]) == (data, str(pairs), str(mono))
    assert found["--language-embeddings"] == "en,xx" and "--batch-size" not in found


@pytest.fixture
def benchmark(tmp_path):
    """A folder with the files that 1_data.sh reads, including english_text.py's output."""
    folder = tmp_path / "benchmark"
    for name in ("panx/train-en.tsv", "panx/dev-en.tsv", "xnli/dev-en.tsv", "xnli/test-en.tsv", "xnli/test.labels"):
        (folder / "eval" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "eval" / name).write_text("A\tB-PER\n\nb\tO\n\nc\tO\n\n" if "panx" in name else "a\tb\n")
    (folder / "bitext").mkdir()
    for split in ("dev", "test"):
        path = folder / f"eval/ud/en_ewt-ud-{split}.conllu.gz"
        path.parent.mkdir(exist_ok=True)
        subprocess.run(["gzip", "-c"], input=b"1\ta\n", stdout=path.open("wb"), check=True)
    (tmp_path / "out/text").mkdir(parents=True)
    (tmp_path / "out/text/english.txt").write_text("".join(f"{i}\n" for i in range(4000)))
    return folder


def make_data(folder, benchmark, **variables):
    """Run 1_data.sh and return its calls of xalign."""
    calls = folder / "bin/calls"
    calls.unlink(missing_ok=True)
    done = run_script(folder, "align_mlm/1_data.sh", benchmark, folder / "out", instead={"xalign": XALIGN}, **variables)
    assert done.returncode == 0, done.stderr
    return calls.read_text().splitlines() if calls.exists() else []


def test_data_of_every_run_are_made_once(tmp_path, benchmark):
    calls = make_data(tmp_path, benchmark, NER="2")
    data, derived = tmp_path / "out/data", tmp_path / "out/derived"
    variants = ["dictionary50", "overlap25", "overlap50", "parallel1", "parallel10", "parallel100"]
    assert sorted(path.name for path in data.iterdir()) == ["trans", "trans_inv", *(f"trans_inv.{v}" for v in variants)]
    assert Counter(call.split()[0] for call in calls) == {"prepare": 8, "derive": 4, "lexicon": 8}
    # 2,000 of 4,000 sentences are held out: a quarter of the others are pairs
    parts = {path.name: len((path / "pairs").read_text().splitlines()) for path in data.iterdir()}
    assert parts.pop("trans_inv.parallel1") == 20 and parts.pop("trans_inv.parallel10") == 200
    assert parts.pop("trans_inv.parallel100") == 2000 and set(parts.values()) == {500}
    assert (data / "trans/text").read_text().split() == [str(i) for i in range(2000)]
    assert (data / "trans/held-out").read_text().split() == [str(i) for i in range(2000, 4000)]
    # labelled files of the task in both languages
    assert (derived / "trans/ner-train.en.tsv").read_text() == "A\tB-PER\n\nb\tO\n\n"
    assert (derived / "trans/nli-test.en.tsv").read_text() == "a\tb\ta\tb\n"
    assert "--ner ner-test=" in calls[1] and "--nli nli-train=" in calls[1] and "--conllu pos-test=" in calls[1]
    steps = [call.split("--steps ")[1].split()[0] for call in calls if call.startswith("derive")]
    assert steps == ["inversion,script", "script", "inversion,script", "inversion,script"]
    # half of the dictionary: the same files with another lexicon
    fractions = [call.split() for call in calls if call.startswith("lexicon")]
    fractions = {Path(call[1]).name: call[call.index("--fraction") + 1] for call in fractions}
    assert {name for name, fraction in fractions.items() if fraction == "0.5"} == {"trans_inv.dictionary50"}
    assert (data / "trans_inv.dictionary50/text").samefile(data / "trans_inv/text")
    assert make_data(tmp_path, benchmark, NER="2") == []
    assert not [path for path in tmp_path.rglob("out/*/.*")]
