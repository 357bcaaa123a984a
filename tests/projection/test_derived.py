"""Derived languages have exact links, by which everything is projected to what is derived with the text."""

from xalign_fairseq.cli import main
from xalign_fairseq.data.labelled.conllu import read_tagged_words, read_trees
from xalign_fairseq.projection.run import ProjectRun, project_files

ROWS = [
    ("the", "DET", "2", "det"),
    ("cat", "NOUN", "3", "nsubj"),
    ("sees", "VERB", "0", "root"),
    ("New", "PROPN", "5", "compound"),
    ("York", "PROPN", "3", "obj"),
    (",", "PUNCT", "7", "punct"),
    ("Bonn", "PROPN", "5", "conj"),
    (".", "PUNCT", "3", "punct"),
]
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
        project_files(
            ProjectRun(
                src=str(tmp_path / f"a.{kind}"),
                tgt=str(out / "text.en-xx.xx"),
                out=str(tmp_path / "projected"),
                format=form,
                links=str(out / "text.en-xx.links"),
                quiet=True,
            )
        )
        return tmp_path / "projected"

    ours, theirs = read_trees(projected("conllu", "conllu"), "xx"), read_trees(out / "conllu.xx.conllu", "xx")
    assert [(each.words, each.upos, each.tree) for each in ours] == [(e.words, e.upos, e.tree) for e in theirs]
    assert theirs[0].words != tuple(words)
    # An inverted entity keeps its words together, so that it stays one.
    ours = read_tagged_words(projected("ner", "conll"), "xx")
    theirs = read_tagged_words(out / "ner.xx.tsv", "xx")
    assert [(each.words, each.tags) for each in ours] == [(each.words, each.tags) for each in theirs]
