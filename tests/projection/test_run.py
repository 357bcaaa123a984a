import json
from collections import Counter
from dataclasses import replace
from unittest.mock import Mock

import pytest
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.cli import main
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.progress import SparseLines
from xalign_fairseq.core.text import segmentation
from xalign_fairseq.data.labelled.conllu import read_tagged_words, read_trees
from xalign_fairseq.projection import run
from xalign_fairseq.projection.run import ProjectRun, project_files


@pytest.fixture
def a_run(tmp_path, tiny_checkpoint, tiny_text):  # noqa: F811
    """A run on 40 pairs, of which every third has no annotation."""
    pairs = [line.split(" ||| ") for line in (tiny_text / "text.pairs").read_text().splitlines()]
    lines = [
        json.dumps({"text": src, "translation": tgt, "spans": [[0, 1, "X"]] if number % 3 and src.strip() else []})
        for number, (src, tgt) in enumerate(pairs)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    out = str(tmp_path / "out.jsonl")
    options = AlignerOptions(device="cpu", dtype="float32")
    return ProjectRun(str(tmp_path / "a.jsonl"), out=out, model=str(tiny_checkpoint), options=options, quiet=True)


def test_statistics_learned_from_the_pairs_change_links_and_are_those_of_their_folder(a_run, tmp_path, monkeypatch):
    learning = replace(a_run, learns=True, out=str(tmp_path / "own.jsonl"))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Aligner, "stream", Mock(side_effect=KeyboardInterrupt))
        project_files(learning)
    project_files(learning)
    folder = f"{learning.out}.aligner"
    given = replace(a_run, out=f"{a_run.out}.3", options=replace(a_run.options, statistics=folder))
    project_files(given)
    assert contents(given) == contents(learning)
    project_files(a_run)
    assert contents(a_run) != contents(learning)


def contents(run):
    with open(run.out) as out, open(f"{run.out}.links") as links:
        return out.read(), links.read()


def test_an_interrupted_run_resumes_with_the_same_result(a_run, monkeypatch):
    report = project_files(a_run)
    with open(a_run.src) as lines:
        spans = sum(len(json.loads(line)["spans"]) for line in lines)
    assert report.units == 40 and report.placed + report.dropped.total() == spans
    whole = contents(a_run)
    stream, asked = Aligner.stream, Counter()

    def failing(self, pairs, *rest):
        for number, pair in enumerate(stream(self, pairs, *rest)):
            if number == 9:
                raise KeyboardInterrupt
            yield pair

    def counting(self, pairs, *rest):
        for pair in stream(self, pairs, *rest):
            asked["pairs"] += bool(pair.src)
            yield pair

    other = replace(a_run, out=f"{a_run.out}.2")
    monkeypatch.setattr(Aligner, "stream", failing)
    with pytest.raises(KeyboardInterrupt):
        project_files(other)
    monkeypatch.setattr(Aligner, "stream", counting)
    with pytest.raises(XalignError, match="unfinished output"):
        project_files(other)
    again = project_files(replace(other, resume=True))
    assert contents(other) == whole and again == report
    assert 0 < asked["pairs"] <= 20
    with pytest.raises(XalignError, match="nothing to resume"):
        project_files(replace(other, resume=True))


def test_progress_counts_pairs_that_the_aligner_has_finished_and_too_long_ones_are_named(a_run, monkeypatch, capsys):
    bar, stream, shown = SparseLines(None, None, "", None), Aligner.stream, []
    monkeypatch.setattr(run, "progress", lambda **options: bar)

    def watched(*given):
        for number, pair in enumerate(stream(*given)):
            shown.append(bar.n)
            yield replace(pair, too_long=number == 2)

    monkeypatch.setattr(Aligner, "stream", watched)
    project_files(a_run)
    assert shown[0] > 1 and bar.n == 40
    assert "a.jsonl, line 3: the pair is too long to align" in capsys.readouterr().err


@pytest.mark.parametrize("installed", [True, False])
def test_missing_icu_is_reported(a_run, installed, monkeypatch, capsys):
    monkeypatch.setattr(segmentation, "version", lambda name: "1" if installed else "")
    project_files(replace(a_run, segment="" if not installed else "spaces", quiet=False))
    assert ("icu4py" in capsys.readouterr().err) is not installed


def test_kept_links_give_the_same_output_until_others_are_given(a_run, tmp_path):
    project_files(a_run)
    whole, _ = contents(a_run)
    again = replace(a_run, links=f"{a_run.out}.links", out=f"{a_run.out}.2", options=AlignerOptions())
    with pytest.raises(XalignError, match=r"needed\n  where: links, model$"):
        project_files(again)
    project_files(replace(again, model=""))
    with open(f"{a_run.out}.2") as out:
        assert out.read() == whole
    (tmp_path / "none").write_text("\n" * 40)
    project_files(replace(again, links=str(tmp_path / "none"), model=""))
    assert contents(again) != contents(a_run) and contents(again)[1] == "\n" * 40


def test_links_of_another_text_are_an_error(a_run, tmp_path):
    (tmp_path / "links").write_text('{"src": ["x"], "tgt": ["y"], "links": []}\n' * 40)
    given = replace(a_run, links=str(tmp_path / "links"), model="", options=AlignerOptions())
    with pytest.raises(XalignError, match=r"other words[\s\S]*line 1"):
        project_files(given)
    (tmp_path / "links").write_text("0-0\n" * 39)
    with pytest.raises(XalignError, match=r"39 lines[\s\S]*40"):
        project_files(given)


@pytest.mark.parametrize(
    ("first", "links"), [("{0}", "0-4 1-2 3-3 4-1"), ("\ue000 {n, select, x {y}}", "0-8 1-0 2-6 4-7 5-5")]
)
def test_pharaoh_links_of_placeholders_count_the_words_of_the_extracted_source(tmp_path, first, links):
    texts = f"Open {first} in the folder {{1}} now\n", f"{first} jetzt im Ordner öffnen\n", links
    files = {name: f"{tmp_path}/{name}" for name in ("src", "tgt", "links", "out")}
    for name, text in zip(files, texts, strict=False):
        (tmp_path / name).write_text(text)
    project_files(ProjectRun(format="placeholders", quiet=True, **files))
    assert (tmp_path / "out").read_text() == f"{first} jetzt im Ordner {{1}} öffnen\n"
    (tmp_path / "links").write_text(links.replace("4-", "7-"))
    with pytest.raises(XalignError, match=r"outside its sentences[\s\S]* depend on segment$"):
        project_files(ProjectRun(format="placeholders", quiet=True, **files))


def test_links_of_an_invalid_line_are_not_checked(tmp_path):
    rows = [json.dumps({"text": "old cat", "translation": "alte Katze", "spans": [[0, end, "X"]]}) for end in (3, 99)]
    (tmp_path / "src").write_text("\n".join(rows) + "\n")
    (tmp_path / "links").write_text("0-0\n0-0 1-1\n")
    files = {name: f"{tmp_path}/{name}" for name in ("src", "links", "out")}
    project_files(ProjectRun(format="json", quiet=True, **files))
    first, second = (tmp_path / "out").read_text().splitlines()
    assert json.loads(first)["translation_spans"] == [[0, 4, "X"]] and second == rows[1]


ROWS = "the DET 2 det|cat NOUN 3 nsubj|sees VERB 0 root|New PROPN 5 compound|York PROPN 3 obj|, PUNCT 7 punct"
ROWS = [row.split() for row in f"{ROWS}|Bonn PROPN 5 conj|. PUNCT 3 punct".split("|")]
TAGS = ["O", "O", "O", "B-LOC", "I-LOC", "O", "B-LOC", "O"]


def test_labels_of_a_derived_language_are_projected_perfectly(tmp_path):
    words = [row[0] for row in ROWS]
    tree = "".join(f"{n}\t{w}\t_\t{u}\t_\tF={w}\t{h}\t{r}\t_\t_\n" for n, (w, u, h, r) in enumerate(ROWS, 1))
    files = {
        "text": " ".join(words) + "\n",
        "conllu": f"{tree}\n",
        "ner": "".join(f"{word}\t{tag}\n" for word, tag in zip(words, TAGS, strict=True)) + "\n",
    }
    options = []
    for kind, content in files.items():
        (tmp_path / f"a.{kind}").write_text(content * 3)
        options += [f"--{kind}", f"{kind}={tmp_path}/a.{kind}"]
    out = tmp_path / "out"
    assert main(["derive", "--out", str(out), "--steps", "inversion", *options, "-q"]) == 0

    def projected(kind, form):
        src, projected, text = tmp_path / f"a.{kind}", tmp_path / "projected", f"{out}/text.en-xx"
        project_files(ProjectRun(f"{src}", f"{text}.xx", f"{projected}", form, links=f"{text}.links", quiet=True))
        return projected

    ours, theirs = read_trees(projected("conllu", "conllu"), "xx"), read_trees(out / "conllu.xx.conllu", "xx")
    assert [(each.words, each.upos, each.tree) for each in ours] == [(e.words, e.upos, e.tree) for e in theirs]
    assert theirs[0].words != tuple(words)
    # An inverted entity keeps its words together and stays one entity.
    ours = read_tagged_words(projected("ner", "conll"), "xx")
    theirs = read_tagged_words(out / "ner.xx.tsv", "xx")
    assert [(each.words, each.tags) for each in ours] == [(each.words, each.tags) for each in theirs]


def test_an_output_with_the_ending_of_another_format_is_refused(a_run, tmp_path):
    for name in ("a.tmx", "a.html", "a.docx"):
        with pytest.raises(XalignError, match=r"(?s)has the format of .* expected: +\.jsonl, |no output is CSV"):
            project_files(replace(a_run, out=str(tmp_path / name)))


@pytest.mark.parametrize("same", [{"report": "out.jsonl"}, {"page": "out.jsonl.links"}, {"page": "a", "report": "./a"}])
def test_outputs_of_the_same_name_are_refused(a_run, tmp_path, same):
    with pytest.raises(XalignError, match="two outputs have the same name"):
        project_files(replace(a_run, **{name: f"{tmp_path}/{path}" for name, path in same.items()}))
    project_files(replace(a_run, report="/dev/null", page="/dev/null"))


@pytest.mark.parametrize("change", [{"out": "-"}, {"links": "a.jsonl"}])
def test_learning_needs_a_file_as_output(a_run, change):
    with pytest.raises(XalignError, match=f"(?s)nothing can be learned.*{next(iter(change))}"):
        project_files(replace(a_run, learns=True, **({"links": a_run.src} if "links" in change else change)))
