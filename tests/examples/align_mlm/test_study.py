import gzip
import io
import itertools
import json
import math
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import torch

from tests.examples.align_mlm.made_up import add, claims, report, rows, study
from tests.examples.align_mlm.parsers import lstm_parser, parse_text, run_command
from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, run_real, run_script
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.languages.derivation import DeriveOptions, derive


@pytest.mark.parametrize(
    ("name", "data", "folder"),
    [
        ("mlm.trans-1", "trans", "trans"),
        ("dict_mlm.trans_syn.dictionary50-12", "trans_syn.dictionary50", "trans_syn"),
        ("xlm.trans_inv.parallel100-3", "trans_inv.parallel100", "trans_inv"),
        ("xlm.trans_inv.overlap25-3", "trans_inv.overlap25", "trans_inv.overlap25"),
    ],
)
def test_names_give_the_paths_of_data(name, data, folder):
    setting, seed = study.split_name(name)
    assert (setting.data, setting.folder, f"{setting}-{seed}") == (data, folder, name)
    assert setting.is_default == ("." not in data)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "mlm",
        *(f"mlm.trans{end}" for end in ("", "-x", "_in-1", ".a5-1", ".parallel-1", "-1-2")),
        "rlm.trans-1",
        "mlm-trans-1",
    ],
)
def test_an_unknown_run_is_refused(name):
    with pytest.raises(XalignError, match="unknown run"):
        study.split_name(name)


def test_scores_and_gap_of_a_run_by_hand(tmp_path):
    add(tmp_path, "xlm.trans_inv-1", 9, 5, wobble=20)
    [[run]] = study.read(tmp_path).values()
    # 5 * 50 + 20 = 270 of 500; with equal numbers of predicted and gold entities, F1 is this share
    assert run.scores("pos") == pytest.approx({"SUP": 0.9, "ZS": 0.54, "Δ": 0.36})
    assert run.scores("pos", "accuracy")["ZS"] == pytest.approx(0.5)
    assert study.gap_value("pos")(run.gap_counts("pos").sum(0).astype(float)) == pytest.approx(0.36)
    assert run.has("pos") and not run.has("ner")
    assert run.alignment("held out") == 0.25 and math.isnan(run.alignment("unused"))


def test_claims_by_hand(results):
    text = report.to_markdown(study.read(results))
    found = {(row[0], row[2]): row[3:] for row in rows(text, "Claims")}
    best = "With inversion ALIGN-MLM transfers best"
    verdict, points, _, _ = found[best, "ALIGN-MLM − XLM; Trans + Inv"]
    assert (verdict, points) == ("**holds**", "−30.0")
    assert found[best, "ALIGN-MLM − MLM; Trans + Inv"][:2] == ["**holds**", "−60.0"]
    # a gap of 0 is below 3 points, a gap of 10 above
    script = "Another script alone is no obstacle"
    assert found[script, "MLM − 3 points, Trans"][:2] == ["**holds**", "−3.2"]
    assert found[script, "XLM − 3 points, Trans"][:2] == ["**does not hold**", "+6.8"]
    assert len(found) == 3 + 2 + 1  # dictionaries: only 25 %
    assert not any(claim.startswith("Shared") or "syntax" in claim for claim, _ in found)


def test_correction_is_over_the_tests_of_a_claim_in_a_task(results):
    found = [each for each in claims.judge(study.read(results), ["pos"]) if "inversion" in each.claim]
    raw = sorted(each.p_value for each in found)
    expected = [min(1, 3 * raw[0]), max(3 * raw[0], 2 * raw[1]), max(3 * raw[0], 2 * raw[1], raw[2])]
    assert sorted(each.p_holm for each in found) == pytest.approx(expected)


def test_text_has_each_sentence_of_all_files_except_tests_once(tmp_path):
    pytest.importorskip("sacremoses")
    files = {
        "a/train.en": ["Hello, world again.", "Too short", "A man walks the dog.", "Hello, world again."],
        "multi30k/train.en": ["A man walks the dog.", "It's a test sentence!", "x " * 61],
        "multi30k/test_2016_flickr.en": ["it is never seen ."],
        "mlqe-pe/en-de.train.en": ["It is never seen.", "Well - known words here"],
        "mlqe-pe/en-de.test.en": ["Also never seen, this one"],
        "a/train.de": ["Hallo Welt, schon wieder."],
    }
    for name, lines in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    counts = Counter()
    found = load("align_mlm", "english_text")[0].collect(tmp_path, 3, 60, counts)
    assert found == [
        "Hello , world again .",
        "A man walks the dog .",
        "Well - known words here",
        "It 's a test sentence !",
    ]
    assert counts == {"lines": 9, "repeated": 2, "not of 3 to 60 words": 2, "of a left-out set": 1}


@pytest.mark.slow  # trains a parser
def test_the_same_seed_trains_the_same_parser(trained):
    examples = parse_text.read_treebank(trained / "train.conllu")[:40]
    first, second, other = (lstm_parser.train(examples, 1, seed, lambda _: None).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], each) for name, each in second.items())
    assert not torch.equal(first["tags.weight"], other["tags.weight"])


@pytest.mark.slow  # trains a parser
def test_text_becomes_a_treebank_of_its_words(trained, monkeypatch):
    monkeypatch.setattr(parse_text, "BLOCK", 7)
    gold = read_trees(trained / "test.conllu", "en")
    text = trained / "text.txt"
    text.write_text("".join(" ".join(each.words) + "\n" for each in gold))
    run_command("parse", trained / "model.pt", text, trained / "out.conllu")

    parsed = read_trees(trained / "out.conllu", "en")  # raises if it is not a tree

    assert [each.id for each in parsed] == [str(number) for number in range(1, 61)]
    assert [each.words for each in parsed] == [each.words for each in gold]
    words = [
        pair
        for one, two in zip(parsed, gold, strict=True)
        for pair in zip(one.upos, one.tree.heads, two.upos, two.tree.heads, strict=True)
    ]
    assert sum(pair[:2] == pair[2:] for pair in words) / len(words) > 0.95


@pytest.mark.slow  # trains a parser
def test_pairs_of_texts_are_parsed_as_they_are_derived(trained, tmp_path):
    """Deriving a language with another syntax from XNLI needs the trees."""
    pairs = tmp_path / "nli-test.en.tsv"
    pairs.write_text("The king sleeps.\tThe dog, sleeps\tneutral\nthe dog\tthe king\tentailment\n")
    run_command("parse", trained / "model.pt", pairs, tmp_path / "nli-test.en.conllu", "--pairs")
    parsed = read_trees(tmp_path / "nli-test.en.conllu", "en")
    assert [" ".join(each.words) for each in parsed] == ["The king sleeps .", "The dog , sleeps", "the dog", "the king"]
    inputs = (("nli", "nli-test", str(pairs)),)
    towards = (str(trained / "train.conllu"),)
    derive(DeriveOptions(str(tmp_path / "derived"), ("syntax",), inputs, towards=towards))
    labels = [line.split("\t")[2] for line in (tmp_path / "derived/nli-test.xx.tsv").read_text().splitlines()]
    assert labels == ["neutral", "entailment"]
    pairs.write_text("the king\t\tneutral\n")
    with pytest.raises(XalignError, match="pair 1"):
        run_command("parse", trained / "model.pt", pairs, tmp_path / "gap.conllu", "--pairs")


def test_the_command_reads_writes_and_draws(results, capsys, monkeypatch):
    pytest.importorskip("matplotlib")

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["report.py", str(results), *options])
        return exit_code(report.main)

    assert run("--check") == 1 and f"next: python report.py {results}" in capsys.readouterr().err
    assert not (results / "report").exists()
    assert run() == 0 and run("--check") == 0
    for picture in ("gaps", "alignment"):
        assert (results / f"report/{picture}.png").read_bytes().startswith(b"\x89PNG")
    add(results, "mlm.trans-4", 9, 9)
    assert run("--check") == 1
    (results / "runs/other-1.json").write_text("{}")
    assert run() == 2 and "other-1" in capsys.readouterr().err


@pytest.mark.slow
def test_the_report_matches_its_results():
    folder = EXAMPLES / "align_mlm/results"
    assert (folder / "report/report.md").read_text() == report.to_markdown(study.read(folder))


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


def test_the_data_of_every_run_are_made_once(tmp_path, benchmark):
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


[laying_out] = load("align_mlm", "lay_out")
TREE = "1\t{}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\truns\t_\tVERB\t_\t_\t1\tdep\t_\t_\n\n"
HEADER = "language\tgold_label\tsentence1\tsentence2\tpairID"
WORDS = [first + second for first in ("mo", "ka", "ti", "re", "su", "la") for second in ("n", "ra", "pel", "dos", "ki")]


def archives(downloads, paragraphs):
    """Stand-ins for all downloads, each in its publisher's format."""
    downloads.mkdir(parents=True)
    with zipfile.ZipFile(downloads / "wikitext-103-raw-v1.zip", "w") as archive:
        archive.writestr("wikitext-103-raw/wiki.train.raw", "\n".join(paragraphs) + "\n")
        archive.writestr("wikitext-103-raw/wiki.test.raw", "of the test\n")
    with zipfile.ZipFile(downloads / "panx_dataset.zip", "w") as archive:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as language:
            for split in ("train", "dev", "test"):
                text = "".join(f"en:{word}\tB-PER\nen:of\tO\n\n" for word in (split, *WORDS)).encode()
                part = tarfile.TarInfo(split)
                part.size = len(text)
                language.addfile(part, io.BytesIO(text))
        archive.writestr("en.tar.gz", packed.getvalue())
        archive.writestr("de.tar.gz", b"another")
    rows = [
        f'{lang}\t{label}\tHe said "yes .\t{lang} {label}\t1'
        for lang in ("en", "de")
        for label in ("neutral", "entailment")
    ]
    with zipfile.ZipFile(downloads / "XNLI-1.0.zip", "w") as archive:
        for split in ("dev", "test"):
            archive.writestr(f"XNLI-1.0/xnli.{split}.tsv", "\n".join([HEADER, *rows]) + "\n")
            archive.writestr(f"__MACOSX/XNLI-1.0/._xnli.{split}.tsv", "no text")
    with zipfile.ZipFile(downloads / "XNLI-MT-1.0.zip", "w") as archive:
        translated = [
            f"one {n} .\tanother {n} .\t{('contradictory', 'neutral', 'entailment')[n % 3]}" for n in range(6)
        ]
        archive.writestr("XNLI-MT-1.0/multinli/multinli.train.en.tsv", "\n".join(["premise\thypo\tlabel", *translated]))
        archive.writestr("XNLI-MT-1.0/multinli/multinli.train.de.tsv", "premise\thypo\tlabel\n")
    for name in laying_out.TREEBANKS:
        (downloads / f"{name}.conllu").write_text("".join(TREE.format(word) for word in (name, *WORDS)))


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def lay_out(folder, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["lay_out.py", str(folder / "downloads"), str(folder)])
    laying_out.main()


def test_every_file_has_the_layout_that_the_steps_read(tmp_path, monkeypatch):
    archives(
        tmp_path / "downloads",
        [" ", " = Heading = ", ' It costs 3 @.@ 5 $ . He ran ! " No ? " said Mr. Bean . ', " = = Part = = "],
    )
    lay_out(tmp_path, monkeypatch)
    assert lines(tmp_path / "bitext/wikitext-103/train.en") == [
        "It costs 3 @.@ 5 $ .",
        "He ran !",
        '" No ?',
        '" said Mr. Bean .',
    ]
    assert (
        gzip.decompress((tmp_path / "eval/ud/fr_gsd-ud-dev.conllu.gz").read_bytes())
        .decode()
        .startswith("1\tfr_gsd-ud-dev\t")
    )
    assert lines(tmp_path / "eval/panx/train-en.tsv")[:4] == ["train\tB-PER", "of\tO", "", "mon\tB-PER"]
    assert lines(tmp_path / "eval/xnli/dev-en.tsv") == [
        'He said "yes .\ten neutral\tneutral',
        'He said "yes .\ten entailment\tentailment',
    ]
    assert lines(tmp_path / "eval/xnli/test-en.tsv")[0] == 'He said "yes .\ten neutral'
    assert lines(tmp_path / "eval/xnli/test.labels") == ["neutral", "entailment"]
    assert lines(tmp_path / "eval/xnli/train-en.tsv")[1] == "one 0 .\tanother 0 .\tcontradictory"
    assert lines(tmp_path / "eval/panx/test-en.tsv")[0] == "test\tB-PER"


@pytest.mark.slow
def test_the_steps_follow_each_other_from_the_archives(tmp_path):
    pytest.importorskip("sacremoses")
    sentences = [
        " ".join(WORDS[(number * step + number // 30) % len(WORDS)] for step in range(1, 4 + number % 5)).capitalize()
        + f" {number} ."
        for number in range(2600)
    ]
    archives(tmp_path / "downloads", [" ".join(sentences[n : n + 10]) for n in range(0, len(sentences), 10)])

    def step(script, *arguments, **variables):
        return run_real("bash", EXAMPLES / "align_mlm" / script, *arguments, **variables)

    step("0_download.sh", tmp_path)
    step("1_data.sh", tmp_path, tmp_path / "out", VOCAB="200", WORKERS="1", NER="10", WHOLE="1")
    derived = tmp_path / "out/derived/trans_inv"
    assert {len(lines(derived / f"pos-{split}.xx.conllu")) for split in ("train", "valid", "test")} == {4 * 31}
    assert len(lines(derived / "nli-train.xx.tsv")) == 6 and len(lines(derived / "nli-valid.xx.tsv")) == 2
    step("2_train.sh", tmp_path / "out", tmp_path / "runs", "align_mlm", "trans_inv", "1", UPDATES="2", WARMUP="1")
    assert (tmp_path / "runs/align_mlm.trans_inv-1/checkpoint_last.pt").exists()
    # the paper's study, with one epoch and seed
    paper = (EXAMPLES / "align_mlm/studies/paper.yaml").read_text()
    quick = tmp_path / "quick.yaml"
    quick.write_text(re.sub(r"epochs: \d+", "epochs: 1", re.sub(r"seeds: .*", "seeds: [1]", paper)))
    evaluating = ("3_evaluate.sh", tmp_path / "out", tmp_path / "runs")
    variables = {"STUDY": str(quick), "TASKS": "pos ner xnli"}
    step(*evaluating, **variables)
    [[run]] = study.read(tmp_path / "runs/results").values()
    assert (run.record["setting"], run.seed, run.record["updates"]) == ("align_mlm.trans_inv", 1, 2)
    assert run.record["alignment"].keys() == {"trained", "held out", "unused", "all"} and run.record["tokens"] > 200
    assert run.gap_counts("pos").shape == (31, 6)  # one row per test sentence (F1)
    found = {task: run.scores(task) for task in ("pos", "ner", "xnli")}
    rounded = {task: {name: round(score, 4) for name, score in scores.items()} for task, scores in found.items()}
    assert run.record["scores"] == rounded
    assert found["pos"]["Δ"] == pytest.approx(found["pos"]["SUP"] - found["pos"]["ZS"])
    assert not (tmp_path / "runs/align_mlm.trans_inv-1/transfer").exists()
    assert step(*evaluating, **variables) == "align_mlm.trans_inv-1: already measured\n"  # existing results are kept
