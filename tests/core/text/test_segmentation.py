import logging
import sys
from itertools import accumulate

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from xalign_fairseq.cli import main
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import segmentation
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmentation import find_segmenter, find_segmenters, require_words, split_at_spaces

HARD = "か゛a1 \u3000\t\r\0.,…—)(_'\u0301\u0903\u200b\u200d\u200f\u0600👨👩👧🏽🇫🇷नमस्ते각กำแ文は。、་བོདខ្ញុំမြန်שָׁלוֹם𠀀"


@pytest.fixture
def without_icu(monkeypatch):
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    for function in (find_segmenter, segmentation._icu, segmentation._warn_of_spaces):
        function.cache_clear()
    yield
    for function in (find_segmenter, segmentation._icu, segmentation._warn_of_spaces):
        function.cache_clear()


def segmenter(name):
    pytest.importorskip("icu4py", reason="pip install icu4py")
    return find_segmenter(name)


@given(st.text())
def test_words_at_spaces_are_those_of_split(line):
    found = split_at_spaces(line)
    assert found.words == line.split() and found.text == line


@given(line=st.text(HARD, max_size=30) | st.text(st.characters(exclude_categories=["Cs"])))
@example(line="")
@example(line=" ...  ")
@example(line="\u0600 \u0301a")
def test_words_hold_all_that_is_visible_in_whole_graphemes(line):
    graphemes = pytest.importorskip("icu4py.breakers", reason="pip install icu4py").CharacterBreaker
    found = segmenter("icu")(line)
    assert found.text == line and not any(map(regex.compile(r"\s").search, found.words))
    assert found.words == [line[start:stop] for start, stop in found.spans]
    inside = {at for span in found.spans for at in range(*span)}
    left = "".join(character for at, character in enumerate(line) if at not in inside)
    assert regex.fullmatch(r"[\p{Cc}\p{Cf}\p{Z}་༌]*", left)
    edges = {edge for span in found.spans for edge in span} - {0, len(line)}
    edges -= {edge for match in regex.finditer(r"\s+", line) for edge in match.span()}
    assert edges <= set(accumulate(map(len, graphemes(line, "en"))))
    # Frequent cases by hand: marks, joiners, and skin colours belong to the character before them.
    follower = regex.compile(r"(?<=[\p{L}\p{M}\p{N}\p{P}\p{S}])[\p{Mn}\p{Me}\u200d🏽]")
    assert not any(follower.match(line, edge) for edge in edges)


def test_simple_characters_are_graphemes_by_themselves():
    graphemes = pytest.importorskip("icu4py.breakers", reason="pip install icu4py").CharacterBreaker
    simple = [each for each in map(chr, range(0x110000)) if segmentation.SIMPLE.fullmatch(each)]
    assert len(simple) > 40_000 and all(len(list(graphemes(f"{each}{each}a가", "en"))) == 4 for each in simple)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("I can't: 3.14 km... (U.S.)", "I|can't|:|3.14|km|...|(|U.S|.|)"),
        ("“你好”——他说……))", "“|你好|”|——|他|说|……|)|)"),
        ("私は東京に、Python3で", "私|は|東京|に|、|Python3|で"),
        ("ผมชอบกินข้าว แต่", "ผม|ชอบ|กิน|ข้าว|แต่"),
        ("ខ្ញុំស្រឡាញ់អ្នក", "ខ្ញុំ|ស្រឡាញ់|អ្នក"),
        ("མི་ལ་ང་།", "མི|ལ|ང|།"),
        ("👨‍👩‍👧🇫🇷🇩🇪 e\u0301te\u0301", "👨‍👩‍👧|🇫🇷|🇩🇪|e\u0301te\u0301"),
        ("\u200fשלום\u200f.", "שלום\u200f|."),
    ],
)
def test_words_of_icu(line, words):
    assert segmenter("icu")(line).words == words.split("|")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("我们 喜欢 书 。", None),  # separated already
        ("东京", None),  # could be one word
        ("我们喜欢看书", "我们|喜欢|看书"),  # three words between spaces
        ("东京。", "东京|。"),  # a mark that spaces would have separated
        ("我们喜欢 Python, 书。", "我们|喜欢|Python,|书|。"),  # Latin chunks are unchanged
        ("the so-called ( 我们喜欢看书 ) faction, U.S.", None),  # English with a quotation
        ("can't... U.S.", None),
        ("ผมชอบกินข้าว", "ผม|ชอบ|กิน|ข้าว"),
    ],
)
def test_text_without_spaces_is_detected(line, words):
    assert segmenter("auto")(line).words == (words.split("|") if words else line.split())


@pytest.mark.parametrize("gold", ["kftt-dev/ja-en", "awesome-align-examples/ja-en", "simalign-testsets/en-hi"])
def test_words_that_spaces_separate_stay(shared_gold, gold):
    for suffix in gold.rpartition("/")[2].split("-"):
        for line in read_lines(shared_gold / f"{gold}.{suffix}"):
            assert segmenter("auto")(line).words == line.split()


def test_without_icu_text_without_spaces_is_reported_once(without_icu, caplog):
    auto = find_segmenter("auto")
    with caplog.at_level(logging.WARNING):
        assert auto("我们 喜欢 书 。").words == ["我们", "喜欢", "书", "。"] and not caplog.messages
        assert auto("我们喜欢书。").words == ["我们喜欢书。"]
        auto("他们喜欢书。")
    assert len(caplog.messages) == 1 and "pip install icu4py" in caplog.text


def test_without_icu_whole_lines_of_a_side_are_refused(without_icu):
    whole, words = "我们喜欢书。", "我们 喜欢 书 。"
    for lines, names in (
        ([words, whole], "auto"),
        ([whole], "auto,spaces"),
        (["房子", "书"], "auto"),
        (["a b"], "auto"),
    ):
        require_words([(["a", "b"], line.split()) for line in lines], names)
    told = "the target has no spaces between words.*\n.*\n  next: install ICU .*segment='spaces'"
    for lines, names in (([whole, "我们非常喜欢红色的房子"], "auto"), ([whole, ""], "spaces,auto")):
        with pytest.raises(XalignError, match=told):
            require_words([(["a", "b"], line.split()) for line in lines], names)


def test_align_refuses_text_that_it_cannot_segment(without_icu, tmp_path, capsys):
    for name, text in (("a.en", "we like books\n"), ("a.zh", "我们喜欢书。\n")):
        (tmp_path / name).write_text(text)
    assert main(["align", *(str(tmp_path / name) for name in ("a.zh", "a.en")), "--model", "nowhere"]) == 2
    assert "the source has no spaces between words" in capsys.readouterr().err


def test_an_unknown_segmenter_and_half_a_surrogate_pair_are_errors():
    with pytest.raises(XalignError, match=r"(?s)unknown segmenter.*scissors.*auto, spaces"):
        find_segmenter("scissors")
    for name in ("auto", "icu"):
        with pytest.raises(XalignError, match="not valid Unicode"):
            segmenter(name)("我们\ud800")


def test_each_side_can_have_its_own_segmenter():
    assert [find("我们喜欢书").words for find in find_segmenters("spaces,auto")] == [
        ["我们喜欢书"],
        ["我们", "喜欢", "书"],
    ]
    assert find_segmenters("spaces") == (split_at_spaces,) * 2
    with pytest.raises(XalignError, match="more than two segmenters"):
        find_segmenters("auto,auto,auto")
