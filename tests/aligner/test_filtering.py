import pytest

from xalign_fairseq.aligner.filtering import keep_pairs
from xalign_fairseq.aligner.link_files import LinkFiles
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.linked_text import LinkedText

LINKS = {"0.4999": "0-0", "0.5000": "0-0 1-0", "0.0000": "", "1.0000": "0-1"}
SCORES = ["\t".join((score, *["1.0000"] * 5, links)) for score, links in LINKS.items()]


@pytest.fixture
def keep(tmp_path):
    def run(scores=SCORES, least=0.5):
        (tmp_path / "a.en").write_text("one\ntwo  words \n\nfour\n")
        (tmp_path / "a.de").write_text("eins\nzwei\n\nvier x\n")
        (tmp_path / "scores").write_text("".join(f"{line}\n" for line in scores))
        paths = [str(tmp_path / name) for name in ("a.en", "a.de")]
        files = LinkFiles((paths[0], paths[1]), str(tmp_path / "kept"), drops_pairs=True)
        said = keep_pairs(LinkedText(*paths, tmp_path / "scores", table=True), files, least)
        return said, *((tmp_path / f"kept.{end}").read_text() for end in ("en", "de", "links"))

    return run


def test_kept_pairs_are_unchanged_and_have_their_links(keep):
    said, src, tgt, links = keep()
    assert (src, tgt, links) == ("two  words \nfour\n", "zwei\nvier x\n", "0-0 1-0\n0-1\n")
    assert said == "4 pairs, 2 kept with a score of 0.5 or more, 1 without links"
    assert keep(least=0)[1] == "one\ntwo  words \n\nfour\n"


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
