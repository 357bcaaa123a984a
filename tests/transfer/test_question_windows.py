"""Windows over a context: every token of it, its characters, and where the answer is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import Letters

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.question_windows import check_room, encode_question


def ids(text):
    return Letters().encode(text)


def encode(question, context, tokens, overlap=0, separators=2, answer=None, question_tokens=64):
    limits = Limits(tokens=tokens, overlap=overlap, separators=separators)
    return encode_question(Letters(), question, context, limits, question_tokens, answer)


def test_a_context_that_fits_is_one_window():
    windows = encode("ab", "c de.f", 20, answer=(2, 4))
    [tokens] = windows.tokens
    assert tokens.tolist() == [0, *ids("ab"), 2, 2, *ids("cde.f"), 2]
    assert windows.begin[0].tolist() == [0, 0, 0, 0, 0, 0, 2, 3, 0, 5, 0]
    assert windows.end[0].tolist() == [0, 0, 0, 0, 0, 1, 3, 4, 0, 6, 0]
    assert windows.targets.tolist() == [[6, 7]]
    assert windows.cut == 0


def test_long_contexts_overlap_and_the_last_window_reaches_back():
    # 1 + 1 + 1 + room + 1: room for 4 of abcdefg, 2 of them shared
    windows = encode("a", "abcdefg", 8, overlap=2, separators=1, answer=(4, 6))
    assert [w.tolist() for w in windows.tokens] == [
        [0, *ids("a"), 2, *ids(part), 2] for part in ("abcd", "cdef", "defg")
    ]
    assert windows.begin[1].tolist() == [0, 0, 0, 2, 3, 4, 5, 0]
    assert windows.targets.tolist() == [[0, 0], [5, 6], [4, 5]]  # the first window does not hold e


@pytest.mark.parametrize(("size", "parts"), [(4, 1), (5, 2), (6, 2), (7, 3), (8, 3)])
def test_no_window_is_there_twice(size, parts):
    assert len(encode("a", "abcdefgh"[:size], 8, overlap=2, separators=1).tokens) == parts


def test_an_answer_that_is_cut_by_a_window_is_no_answer_of_it():
    windows = encode("a", "abcdefg", 8, overlap=2, separators=1, answer=(2, 7))
    assert windows.targets.tolist() == [[0, 0]] * 3
    windows = encode("a", "abcdefg", 8, overlap=2, separators=1, answer=(2, 5))
    assert windows.targets.tolist() == [[0, 0], [3, 5], [0, 0]]


@pytest.mark.parametrize("answer", [(1, 2), (3, 4), (0, 0), (9, 12)])
def test_an_answer_without_a_token_is_no_answer(answer):
    assert encode("b", "a b.c", 20, answer=answer).targets.tolist() == [[0, 0]]


def test_without_a_label_nothing_is_a_target():
    windows = encode("a", "abcdefg", 8, overlap=2, separators=1)
    assert windows.targets.tolist() == [[-1, -1]] * 3


def test_long_questions_are_cut_and_counted():
    windows = encode("abcdef", "gh", 20, question_tokens=4)
    assert windows.tokens[0].tolist() == [0, *ids("abcd"), 2, 2, *ids("gh"), 2]
    assert windows.cut == 2


def test_an_empty_context_has_one_window():
    windows = encode("a", "  ", 20, answer=(0, 1))
    assert windows.tokens[0].tolist() == [0, *ids("a"), 2, 2, 2]
    assert windows.targets.tolist() == [[0, 0]]


@settings(deadline=None)
@given(
    st.text("abcdefgh. ", max_size=60),
    st.integers(0, 6),
    st.integers(1, 8),
    st.integers(0, 7),
    st.integers(0, 60),
    st.integers(0, 20),
)
def test_windows_hold_every_token_and_their_targets_spell_the_answer(context, asked, more, overlap, first, length):
    question = "abcdefgh"[:asked]
    tokens = asked + 4 + overlap + more
    windows = encode(question, context, tokens, overlap=overlap, answer=(first, first + length))
    head = asked + 3
    assert all(len(each) <= tokens for each in windows.tokens)
    parts = [each[head:-1].tolist() for each in windows.tokens]
    joined = parts[0]
    for i, part in enumerate(parts[1:], 1):
        new = overlap if i < len(parts) - 1 else len(parts[0]) - (len(ids(context)) - len(joined))
        assert new >= overlap
        assert joined[len(joined) - new :] == part[:new]
        joined = joined + part[new:]
    assert joined == ids(context)
    answer = context[first : first + length].strip(". ")
    has = 0
    for row, (begin, end) in enumerate(zip(windows.begin, windows.end, strict=True)):
        assert not begin[:head].any() and not end[:head].any() and not end[-1]
        left, right = windows.targets[row]
        if (left, right) != (0, 0):
            has += 1
            assert context[begin[left] : end[right]] == answer
    if answer and len(parts) == 1:
        assert has == 1
    if not answer:
        assert has == 0


def test_limits_without_room_are_an_error():
    check_room(Limits(tokens=128, overlap=32), 64)
    check_room(Limits(tokens=8, overlap=1, separators=1), 3)
    with pytest.raises(XalignError, match=r"(?s)no room.*1 tokens of context in a window of 8, of which 1 overlap"):
        check_room(Limits(tokens=8, overlap=1, separators=1), 4)
    with pytest.raises(XalignError, match="no room"):
        check_room(Limits(tokens=8, overlap=0, separators=2), 4)
