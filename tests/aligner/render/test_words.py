"""Words as HTML."""

import pytest

from xalign_fairseq.aligner.render.words import looks, markup


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["the", "house"], ("ltr", False)),
        (["BBC", "رشة", "אמרה"], ("rtl", True)),
        (["लाल", "घर"], ("ltr", True)),
        (["红色", "的", "房子"], ("ltr", False)),
        (["12", "."], ("ltr", False)),
        ([], ("ltr", False)),
    ],
)
def test_direction_and_size_are_those_of_most_letters(words, expected):
    assert looks(words) == expected


def test_nothing_of_a_word_is_markup_or_a_control_character():
    assert markup("<b>&'\"\0\n\x7f\x85") == "&lt;b&gt;&amp;&#x27;&quot;␀␊␡\ufffd"
