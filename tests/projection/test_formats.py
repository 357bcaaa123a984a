from importlib.util import find_spec

import pytest

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.projection.formats import ANNOTATIONS, find_format


def test_a_format_is_found_by_its_name_or_by_that_of_the_file():
    for src in ("a.jsonl", "b/a.ndjson.gz", "A.JSONL"):
        assert find_format("", src, None) is ANNOTATIONS["json"]
    assert find_format("json", "text", None) is ANNOTATIONS["json"]


def test_raw_text_is_split_by_icu_unless_links_only_count_words(tmp_path):
    (tmp_path / "words").write_text('{"src": [], "tgt": [], "links": []}\n')
    (tmp_path / "numbers").write_text("0-0\n")
    raw = "icu" if find_spec("icu4py") else "auto"
    for name, form in ANNOTATIONS.items():
        found = [form.segmenter(links) for links in (None, str(tmp_path / "words"), str(tmp_path / "numbers"))]
        assert found == (["auto"] * 3 if name in ("conll", "conllu") else [raw, raw, "auto"])


def test_the_beginning_of_a_file_without_a_known_ending_shows_its_format(tmp_path):
    for begun, encoding in (("<n:xliff", "utf-8"), ("<xliff", "utf-8"), ("<xliff", "utf-16")):
        (tmp_path / "a.mqxliff").write_text(f'<?xml version="1.0"?>\n{begun} version="1.2">', encoding)
        assert find_format("", str(tmp_path / "a.mqxliff"), None) is ANNOTATIONS["xliff"]
    (tmp_path / "a.txt").write_text("{0} of %s\n100 %")
    with pytest.raises(XalignError) as caught:
        find_format("", str(tmp_path / "a.txt"), None)
    assert caught.value.remedy == ("if it has placeholders, set", Parameter("format", "placeholders"))


@pytest.mark.parametrize(
    ("name", "src", "tgt", "message"),
    [
        ("", "text", None, r"no ending of a known format[\s\S]*text[\s\S]*json[\s\S]*set"),
        ("", "a.po", None, "next: extract its texts first"),
        ("", "a.docx", None, r"no ending of a known format[\s\S]*next: save it as HTML"),
        ("jason", "text", None, r"unknown format[\s\S]*jason"),
        ("json", "text", "translation", "in the same file"),
    ],
)
def test_conflicting_options_are_an_error(name, src, tgt, message):
    with pytest.raises(XalignError, match=message):
        find_format(name, src, tgt)
