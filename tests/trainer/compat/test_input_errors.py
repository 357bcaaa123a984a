import sys
import traceback

import pytest
from fairseq.options import get_training_parser, parse_args_and_arch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.compat.input_errors import _plain, message

WRONG = XalignError("there is no such thing", where="here", remedy="look there")


@pytest.mark.parametrize(
    "handed_on",
    [
        "\n\n-- Process 1 terminated with the following error:\nTraceback (most recent call last):\n  File x\n{}\n",
        "Caught XalignError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n{}\n",
    ],
)
def test_errors_of_another_process_are_shown_without_traceback(handed_on):
    text = handed_on.format(f"xalign_fairseq.core.errors.XalignError: {WRONG}")
    for error in (RuntimeError(text), XalignError(text)):
        assert message(error) == str(WRONG)


def test_errors_hidden_by_fairseqs_exceptions_are_shown():
    with pytest.raises(Exception, match="architectures") as raised:
        try:
            raise WRONG
        except XalignError:
            raise Exception("please ensure that the architectures match")  # noqa: B904
    assert message(raised.value) == str(WRONG)
    assert message(RuntimeError("".join(traceback.format_exception(raised.value)))) == str(WRONG)


def test_other_errors_go_to_the_earlier_hook_and_all_do_with_debug(capsys, monkeypatch):
    seen = []
    hook = _plain(lambda *given: seen.append(given))
    other = RuntimeError("something else")
    hook(RuntimeError, other, None)
    assert seen == [(RuntimeError, other, None)]
    hook(XalignError, WRONG, None)
    assert len(seen) == 1 and str(WRONG) in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["fairseq-train", "--debug"])
    hook(XalignError, WRONG, None)
    assert len(seen) == 2


def test_a_missing_architecture_or_batch_size_is_named(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["fairseq-train", "data-bin"])
    with pytest.raises(RuntimeError) as raised:
        parse_args_and_arch(get_training_parser())
    _plain(pytest.fail)(RuntimeError, raised.value, raised.tb)
    assert "no architecture is given\n  where: --arch" in capsys.readouterr().err
    said = AssertionError("Must specify batch size either with --max-tokens or --batch-size")  # fairseq_cli/train.py
    _plain(pytest.fail)(AssertionError, said, None)
    assert "no batch size is given\n  where: --batch-size" in capsys.readouterr().err
