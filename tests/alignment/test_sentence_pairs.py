import pytest

from xalign_fairseq.alignment.sentence_pairs import SentencePairs
from xalign_fairseq.errors import XalignError


def write(path, text):
    path.write_bytes(text.encode("utf-8"))
    return path


def test_two_files(tmp_path):
    src = write(tmp_path / "a", "the red house\n\n x\ty \n")
    tgt = write(tmp_path / "b", "das\nleer\n\n")
    pairs = SentencePairs(src, tgt)
    expected = [(["the", "red", "house"], ["das"]), ([], ["leer"]), (["x", "y"], [])]
    assert len(pairs) == 3
    assert list(pairs) == list(pairs) == expected


def test_one_file(tmp_path):
    pairs = SentencePairs(write(tmp_path / "p", "a b ||| c\n||| c\na |||\n|||\na||| | ||| c|||d"))
    expected = [(["a", "b"], ["c"]), ([], ["c"]), (["a"], []), ([], []), (["a|||", "|"], ["c|||d"])]
    assert len(pairs) == 5
    assert list(pairs) == list(pairs) == expected


@pytest.mark.parametrize(("line", "separators"), [("a b", 0), ("a ||| b ||| c", 2), ("", 0), ("a|||b", 0)])
def test_a_line_that_is_no_pair(tmp_path, line, separators):
    path = write(tmp_path / "p", f"a ||| b\n{line}\n")
    with pytest.raises(XalignError, match=rf"p, line 2[\s\S]*{separators} separators"):
        SentencePairs(path)


def test_line_counts_that_differ_are_both_named(tmp_path):
    with pytest.raises(XalignError, match="3 and 2 lines"):
        SentencePairs(write(tmp_path / "a", "1\n2\n3\n"), write(tmp_path / "b", "1\n2\n"))


@pytest.mark.parametrize(("content", "message"), [(b"", "empty"), (b"a\n\xff\n", "line 2"), (b"a\r\nb\r\n", "CRLF")])
def test_bad_files_are_found_when_the_pairs_are_opened(tmp_path, content, message):
    good = write(tmp_path / "good", "a\nb\n")
    (tmp_path / "bad").write_bytes(content)
    for files in ((good, tmp_path / "bad"), (tmp_path / "bad", good), (tmp_path / "bad",)):
        with pytest.raises(XalignError, match=message if len(files) == 2 else "bad"):
            SentencePairs(*files)
