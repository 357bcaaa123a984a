import io
import sys

import pytest

from tests.examples.recipes import load

pytest.importorskip("sacremoses")


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        (["en"], "Well-known: it's HERE.", "well - known : it 's here ."),
        (["en", "--cased"], "Is it HERE?", "Is it HERE ?"),
        (["en", "--tokenized"], "It 's  HERE", "it 's here"),
        (["ro", "--strip-marks"], "Așa și însă.", "asa si insa ."),
        (["en"], "a & b <c>", "a & b < c >"),
    ],
)
def test_tokens_are_written_as_in_the_gold_sets(options, text, tokens, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tokenize_bitext.py", *options])
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{text}\n\n"))
    load("common", "tokenize_bitext")[0].main()
    assert capsys.readouterr().out == f"{tokens}\n\n"
