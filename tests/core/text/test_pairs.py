import gzip
import io
import os
import sys
import threading
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import pairs as text_pairs
from xalign_fairseq.core.text.pairs import KeptPairs, PairStream, SentencePairs, SpreadPairs, chunks, open_pairs
from xalign_fairseq.core.text.segmentation import find_segmenter
from xalign_fairseq.core.text.segmented import SegmentedText, from_words


def write(path, text):
    path.write_bytes(text.encode("utf-8"))
    return path


def test_one_file(tmp_path):
    pairs = SentencePairs(write(tmp_path / "p", "a b ||| c\n||| c\na |||\n|||\na||| | ||| c|||d\n \n"))
    expected = [(["a", "b"], ["c"]), ([], ["c"]), (["a"], []), ([], []), (["a|||", "|"], ["c|||d"]), ([], [])]
    assert len(pairs) == 6
    assert list(pairs) == list(pairs) == expected


@pytest.mark.parametrize(
    ("line", "message"), [("a ||| b ||| c", "2 sep"), ("a|||b", "0 sep"), ("a\tb", "FILE.tsv, with tabs")]
)
def test_a_line_that_is_not_a_pair(tmp_path, line, message):
    path = write(tmp_path / "p", f"a ||| b\n{line}\n")
    with pytest.raises(XalignError, match=rf"p, line 2[\s\S]*{message}"):
        SentencePairs(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\n\xff\n", "line 2"),
        (b"<?xml version='1.0'?>\n<xliff>\n", "(?s)not plain text.*tmx#LANGUAGE"),
        (b"<HTML lang='en'>\n<body>\n", "not plain text"),
    ],
)
def test_bad_files_are_found_when_the_pairs_are_opened(tmp_path, content, message):
    good = write(tmp_path / "good", "a\nb\n")
    (tmp_path / "bad").write_bytes(content)
    for files in ((good, tmp_path / "bad"), (tmp_path / "bad", good), (tmp_path / "bad",)):
        with pytest.raises(XalignError, match=message if len(files) == 2 or "plain" in message else "bad"):
            SentencePairs(*files)


# Any text without a line end: a newline, or a carriage return before it.
LINES = st.lists(
    st.text(st.characters(exclude_characters="\n", codec="utf-8")).filter(lambda t: t[-1:] != "\r"), min_size=1
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(src=LINES, tgt=LINES)
def test_any_text_keeps_its_lines(tmp_path, src, tgt):
    tgt = (tgt * len(src))[: len(src)]
    files = [write(tmp_path / name, "".join(f"{line}\n" for line in side)) for name, side in (("a", src), ("b", tgt))]
    expected = [(left.split(), right.split()) for left, right in zip(src, tgt, strict=True)]
    pairs = SentencePairs(*files)
    assert list(pairs) == list(PairStream(*files)) == expected and len(pairs) == len(expected)


def test_standard_input_is_read_line_by_line(tmp_path, monkeypatch):
    def standard_input(raw):
        return monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    text = "a b ||| c\n\n||| d\n"
    standard_input(text.encode())
    pairs = open_pairs("-")
    assert isinstance(pairs, PairStream)
    assert list(pairs) == list(SentencePairs(write(tmp_path / "p", text)))
    standard_input(b"a ||| b\n\xff ||| b\n")
    stream = iter(open_pairs("-"))
    assert next(stream) == (["a"], ["b"])
    with pytest.raises(XalignError, match=r"stdin, line 2[\s\S]*0xff"):
        next(stream)
    standard_input(b"")
    with pytest.raises(XalignError, match="empty"):
        list(open_pairs("-"))


def test_pipes_are_read_once(tmp_path):
    for name, text in (("a", b"1\n2\n"), ("b", b"3\n")):
        os.mkfifo(tmp_path / name)
        threading.Thread(target=(tmp_path / name).write_bytes, args=(text,), daemon=True).start()
    stream = iter(open_pairs(tmp_path / "a", tmp_path / "b"))
    assert next(stream) == (["1"], ["3"])
    with pytest.raises(XalignError, match="b ends after 1 line"):
        next(stream)


def test_a_pipe_and_a_compressed_file(tmp_path):
    os.mkfifo(tmp_path / "a")
    threading.Thread(target=(tmp_path / "a").write_bytes, args=(b"1\n2\n",), daemon=True).start()
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"3\n4\n"))
    assert list(open_pairs(tmp_path / "a", tmp_path / "b.gz")) == [(["1"], ["3"]), (["2"], ["4"])]


def test_pipes_that_are_needed_twice_are_refused(tmp_path):
    file = write(tmp_path / "a", "1\n")
    for sides in (("-", file), (file, "-")):
        with pytest.raises(XalignError, match="pairs='-'"):
            open_pairs(*sides)
    with pytest.raises(XalignError, match="more than once"):
        SentencePairs("-")
    with pytest.raises(XalignError, match="does not exist"):
        open_pairs(tmp_path / "none", file)
    with pytest.raises(XalignError, match="not a regular file"):
        open_pairs(tmp_path)


def test_chunks_have_few_pairs_and_few_words(monkeypatch):
    monkeypatch.setattr(text_pairs, "WORDS_AT_ONCE", 6)
    pairs = [("", ""), ("a b c d", "e f g"), ("h", "i j"), ("k", ["l", "m n"]), ("", ""), ("", ""), ("", "")]
    cut = list(chunks(pairs, 3))
    assert [len(chunk) for chunk in cut] == [2, 2, 3]
    words = [(src.split(), tgt.split() if isinstance(tgt, str) else tgt) for src, tgt in pairs]
    assert [(list(src), list(tgt)) for chunk in cut for src, tgt in chunk] == words


def test_texts_are_split_like_auto_and_words_stay():
    pytest.importorskip("icu4py", reason="pip install icu4py")
    [[(src, tgt), (other, _)]] = chunks([("我们喜欢书。", ["我们喜欢书。"]), (from_words(["a", "b"]), ())], 2)
    assert (src, tgt, other) == (["我们", "喜欢", "书", "。"], ["我们喜欢书。"], from_words(["a", "b"]))
    assert src.text == "我们喜欢书。"


def test_a_chunk_ends_where_the_next_pair_is_still_to_be_written(monkeypatch):
    read, write = os.pipe()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(os.fdopen(read, "rb")))
    pairs = open_pairs("-")
    cut = chunks((pair for pair in pairs), 100, pairs)
    for number in (1, 2, 1):  # lines available at once
        os.write(write, b"a ||| b\n" * number)
        assert next(cut) == [(["a"], ["b"])] * number
    os.write(write, b"c ||| d\n||| e")
    os.close(write)
    assert list(cut) == [[(["c"], ["d"]), ([], ["e"])]]


def test_words_are_found_by_the_segmenter_of_each_side(tmp_path):
    split = (lambda line: ["source", line], lambda line: ["target", line])
    one = open_pairs(write(tmp_path / "p", "a  b ||| c\td\n||| e \n\n"), split=split)
    two = open_pairs(write(tmp_path / "a", "a  b\n\n\n"), write(tmp_path / "b", "c\td\ne\n\n"), split=split)
    sides = [("a  b", "c\td"), ("", "e"), ("", "")]
    assert list(one) == list(two) == [(["source", src], ["target", tgt]) for src, tgt in sides]


@pytest.mark.parametrize(("most", "expected"), [(1, [9]), (3, [3, 6, 9]), (5, [1, 3, 5, 7, 9]), (99, list(range(10)))])
def test_a_sample_is_evenly_spread(tmp_path, most, expected):
    (tmp_path / "pairs").write_text("".join(f"{number} ||| x\n" for number in range(10)))
    sample = SpreadPairs(SentencePairs(tmp_path / "pairs"), most)
    assert [int(src[0]) for src, _ in sample] == [int(src[0]) for src, _ in sample] == expected
    assert len(sample) == len(expected)
    with pytest.raises(XalignError, match="learn_from"):
        SpreadPairs(SentencePairs(tmp_path / "pairs"), 0)


@pytest.fixture
def text(tmp_path):
    """Kept pairs whose first side has one word per character, and how often each line was segmented."""
    lines = [["我们 喜欢", "a\U0001f600b", "", "x" * 70_000], ["We like", "", "a b", "long line"]]
    seen = Counter()

    def characters(line):
        seen[line] += 1
        return SegmentedText(line, tuple((i, i + 1) for i, letter in enumerate(line) if letter != " "))

    for name, side in zip(("src", "tgt"), lines, strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in side))
    pairs = KeptPairs(tmp_path / "src", tmp_path / "tgt", (characters, find_segmenter("spaces")), tmp_path)
    expected = [(characters(src), find_segmenter("spaces")(tgt)) for src, tgt in zip(*lines, strict=True)]
    seen.clear()
    return pairs, expected, seen, tmp_path


def test_each_line_is_segmented_once(text):
    pairs, expected, seen, folder = text
    for _ in range(3):
        assert list(pairs) == expected
    assert set(seen.values()) == {1} and len(seen) == 4
    assert sorted(path.name for path in folder.iterdir()) == ["src", "tgt"]


def test_an_incomplete_read_is_not_kept(text):
    pairs, expected, seen, _ = text
    assert next(iter(pairs)) == expected[0]
    assert list(pairs) == list(pairs) == expected
    assert seen[expected[0][0].text] == 2 and seen[expected[1][0].text] == 1


def test_readings_at_the_same_time_do_not_disturb_each_other(text):
    pairs, expected, *_ = text
    assert list(pairs) == expected
    assert list(zip(pairs, pairs, strict=True)) == list(zip(expected, expected, strict=True))
    assert list(zip(pairs, SpreadPairs(pairs, 2), strict=False)) == [
        (expected[0], expected[1]),
        (expected[1], expected[3]),
    ]


def test_line_counts_that_differ_are_both_named(tmp_path):
    for longer, message in (
        ("1\n\n3\n \n\n", r"5 and 2 lines\n.*\n  next: look for a line break"),
        ("1\n2\n \n\n\n", "; .*a ends with 3 empty lines\n.*\n  next: delete 3 empty lines at the end of .*a$"),
        ("1\n\n\n", "; .*a ends with 2 empty lines\n.*\n  next: delete 1 empty line at the end of .*a$"),
    ):
        with pytest.raises(XalignError, match=message):
            SentencePairs(write(tmp_path / "a", longer), write(tmp_path / "b", "1\n2\n"))


@pytest.mark.parametrize("sentence", [b"the house", None, ["a", 3], [None]])
def test_a_sentence_of_another_type_is_the_users_error(sentence):
    with pytest.raises(XalignError, match="neither a string nor a list of words"):
        list(chunks([("a b", ["c"]), (sentence, "x")], 9))
