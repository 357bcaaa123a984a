"""English text of a benchmark without its test sets."""

from collections import Counter

import pytest

from tests.examples.recipes import load


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
