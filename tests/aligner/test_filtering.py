from dataclasses import replace

import pytest

from xalign_fairseq.aligner.filtering import FilterRun, filter_files
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run import AlignRun
from xalign_fairseq.core.errors import XalignError

LINKS = {"0.4999": "0-0", "0.5000": "0-0 1-0", "0.0000": "", "1.0000": "0-1"}
SCORES = ["\t".join((score, *["1.0000"] * 5, links)) for score, links in LINKS.items()]


def given_scores(folder, src, tgt, least=0.5, out="kept"):
    paths = (str(folder / name) for name in (src, tgt, out))
    return FilterRun(*paths, AlignRun((), "", AlignerOptions()), least, str(folder / "scores"))


@pytest.fixture
def keep(tmp_path):
    def run(scores=SCORES, least=0.5):
        (tmp_path / "a.en").write_text("one\ntwo  words \n\nfour\n")
        (tmp_path / "a.de").write_text("eins\nzwei\n\nvier x\n")
        (tmp_path / "scores").write_text("".join(f"{line}\n" for line in scores))
        said = filter_files(given_scores(tmp_path, "a.en", "a.de", least))
        return said, *((tmp_path / f"kept.{end}").read_text() for end in ("en", "de", "links", "dropped.tsv"))

    return run


def test_kept_pairs_are_unchanged_and_have_their_links(keep):
    said, src, tgt, links, dropped = keep()
    assert (src, tgt, links) == ("two  words \nfour\n", "zwei\nvier x\n", "0-0 1-0\n0-1\n")
    assert dropped == "0.4999\tone\teins\n0.0000\t\t\n"
    assert said == "4 pairs, 2 kept with a score of 0.5 or more, 1 without links"
    said, src, *_ = keep(least=0)
    assert src == "one\ntwo  words \n\nfour\n"
    assert said.endswith("1 without links; 1 pair of one word each kept unjudged")


@pytest.mark.parametrize(
    ("line", "message"),
    [("0-0", "not have the scores of a pair"), (SCORES[1].replace("1-0", "1-1"), "outside its sentences")],
)
def test_a_bad_line_is_named_and_nothing_is_written(keep, tmp_path, line, message):
    with pytest.raises(XalignError, match=f"(?s){message}.*scores, line 2"):
        keep([SCORES[0], line, *SCORES[2:]])
    with pytest.raises(XalignError, match="3 lines"):
        keep(SCORES[:3])
    assert not list(tmp_path.glob("kept*"))


MEMORY = """<?xml version="1.0" encoding="{encoding}"?>
<!-- by hand --><tmx version="1.4"><header srclang="en"/><body>
  <tu tuid="1"><note>old</note><tuv xml:lang="en"><seg>red <bpt i="1">&lt;b></bpt>house</seg></tuv>
    <tuv xml:lang="de"><seg>rotes Haus</seg></tuv></tu>
  <!-- second --><tu tuid="2"><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de-AT"><seg>falsch</seg></tuv></tu>
  <tu tuid="3"><tuv xml:lang="en"><seg>only English</seg></tuv></tu><tu tuid="4">
    <tuv xml:lang="EN"><seg>größer</seg></tuv><tuv xml:lang="de"><seg>größer</seg></tuv></tu>
</body></tmx>
"""


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "ISO-8859-1"])
def test_a_memory_loses_the_dropped_units_and_nothing_else(tmp_path, encoding):
    text = MEMORY.format(encoding=encoding)
    (tmp_path / "m.tmx").write_bytes(text.encode(encoding))
    scores = ("0.9", "0-0 1-1"), ("0.2", "0-0"), ("0.0", ""), ("0.8", "0-0")
    (tmp_path / "scores").write_text("".join("\t".join((score, *["1"] * 5, links)) + "\n" for score, links in scores))
    said = filter_files(given_scores(tmp_path, "m.tmx#en", "m.tmx#de", out="kept.tmx"))
    assert said.startswith("4 pairs, 2 kept")
    begin, end = text.index('<tu tuid="2"'), text.index('<tu tuid="4"')
    assert (tmp_path / "kept.tmx").read_bytes().decode(encoding) == text[:begin] + text[end:]
    assert (tmp_path / "kept.en").read_text() == "red house\ngrößer\n"
    assert (tmp_path / "kept.dropped.tsv").read_text() == "0.2000\ta\tfalsch\n0.0000\tonly English\t\n"
    filter_files(given_scores(tmp_path, "m.tmx#en", "m.tmx#de", out="kept.links"))  # again
    assert not list(tmp_path.glob("kept.links.*"))
    for name in ("other.tmx", "text.en"):
        (tmp_path / name).write_text(text)
    for out, message in (("m", "also an input"), ("other", "would be lost.*other.tmx"), ("text", "lost.*text.en")):
        with pytest.raises(XalignError, match=f"(?s){message}"):
            filter_files(given_scores(tmp_path, "m.tmx#en", "m.tmx#de", out=out))
    (tmp_path / "scores").rename(tmp_path / "m.dropped.tsv")
    run = replace(given_scores(tmp_path, "m.tmx#en", "m.tmx#de", out="m"), scores=str(tmp_path / "m.dropped.tsv"))
    with pytest.raises(XalignError, match="would replace the scores"):
        filter_files(run)
