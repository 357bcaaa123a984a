import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.formats import ANNOTATIONS, find_format


def test_a_format_is_found_by_its_name_or_by_that_of_the_file():
    for src in ("a.jsonl", "b/a.ndjson.gz"):
        assert find_format("", src, None) is ANNOTATIONS["json"]
    assert find_format("json", "text", None) is ANNOTATIONS["json"]


def test_every_suffix_is_that_of_one_format():
    suffixes = [suffix for each in ANNOTATIONS.values() for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize(
    ("name", "src", "tgt", "message"),
    [
        ("", "text", None, r"no ending of a known format[\s\S]*text[\s\S]*json"),
        ("jason", "text", None, r"no such format[\s\S]*jason"),
        ("json", "text", "translation", "in the same file"),
    ],
)
def test_what_does_not_go_together_is_an_error(name, src, tgt, message):
    with pytest.raises(XalignError, match=message):
        find_format(name, src, tgt)
