import pytest
from support.broken_off import stopped_after_16_pairs

from xalign_fairseq.cli import main
from xalign_fairseq.links.pharaoh import read_links


@pytest.fixture
def filter_text(tiny_checkpoint, tiny_text, tmp_path):
    """Run ``xalign filter`` on the tests' text; return the exit code."""

    def run(*options, out="kept"):
        sides = ["--src", tiny_text / "text.en", "--tgt", tiny_text / "text.xx"]
        model = [] if "--scores" in options else ["--model", tiny_checkpoint]
        return main([str(part) for part in ("filter", *sides, *model, "--out", tmp_path / out, *options)])

    return run


def contents(folder, name="kept"):
    return {path.name.replace(name, "", 1): path.read_bytes() for path in folder.glob(f"{name}.*")}


def test_scores_are_kept_and_need_not_be_made_again(filter_text, tiny_text, tmp_path, capsys):
    assert filter_text("--min-score", 0) == 0
    assert "40 pairs, 40 kept with a score of 0 or more, 3 without links" in capsys.readouterr().err
    whole = contents(tmp_path)
    assert sorted(whole) == [".dropped.tsv", ".en", ".links", ".scores", ".scores.json", ".xx"]
    assert whole[".en"] == (tiny_text / "text.en").read_bytes()
    scores = [float(line.split(b"\t")[0]) for line in whole[".scores"].splitlines()]
    middle = sorted(scores)[20]
    assert filter_text("--scores", tmp_path / "kept.scores", "--min-score", middle, out="fewer") == 0
    assert filter_text("--scores", tmp_path / "kept.scores", "--method", "argmax", out="none") == 2
    assert "where: --scores, --method" in capsys.readouterr().err
    fewer = contents(tmp_path, "fewer")
    kept = [number for number, score in enumerate(scores) if score >= middle]
    assert sorted(fewer) == [".dropped.tsv", ".en", ".links", ".xx"]
    assert fewer[".xx"].splitlines() == [whole[".xx"].splitlines()[number] for number in kept]
    assert len(read_links(tmp_path / "fewer.links")) == len(kept)


def test_an_interrupted_run_resumes(filter_text, tmp_path, capsys):
    assert filter_text() == 0
    expected = contents(tmp_path)
    for path in tmp_path.glob("kept.*"):
        path.unlink()
    with stopped_after_16_pairs():
        filter_text()
    assert sorted(contents(tmp_path)) == [".scores.part", ".scores.part.json"]
    assert filter_text("--resume") == 0
    assert f" new links; scores in {tmp_path}/kept.scores (" in capsys.readouterr().err
    assert contents(tmp_path) == expected
    (tmp_path / "kept.en").unlink()  # killed while it wrote the kept pairs
    for end in (".json", ".lock"):  # or before it removed these
        (tmp_path / f"kept.scores.part{end}").touch()
    assert filter_text("--resume") == 0
    assert contents(tmp_path) == expected
    assert filter_text("--resume", "--segment", "spaces") == 2  # the scores are those of another segmenter
    assert "a difference in --segment" in capsys.readouterr().err
    assert contents(tmp_path) == expected
    (tmp_path / "kept.scores.json").unlink()  # killed before it was written: the scores' origin is unknown
    (tmp_path / "kept.scores").write_text("0\n")
    assert filter_text("--resume") == 0
    assert contents(tmp_path) == expected
