import pytest
from fairseq import options

from xalign_fairseq.trainer import compat

BASE = ["data", "--task", "masked_lm", "--arch", "roberta_base", "--criterion", "masked_lm", "--max-tokens", "64"]


def parse(monkeypatch, *more, **kwargs):
    compat.apply()
    arguments = [*BASE, "--optimizer", "adam", "--lr", "0.1", *more]
    monkeypatch.setattr("sys.argv", ["fairseq-train", *arguments])
    given = arguments if kwargs.pop("explicit", True) else None
    return options.parse_args_and_arch(options.get_training_parser(), given, **kwargs)


@pytest.mark.parametrize("explicit", [True, False], ids=["arguments", "sys.argv"])
@pytest.mark.parametrize(
    ("more", "bf16", "tpu"),
    [
        ([], False, False),
        (["--bf16"], True, False),
        (["--memory-efficient-bf16"], True, False),
        (["--tpu"], False, True),
        (["--bf16", "--tpu"], True, True),
    ],
)
def test_tpu_only_if_given(monkeypatch, more, bf16, tpu, explicit):
    args = parse(monkeypatch, *more, explicit=explicit)
    assert (args.bf16, args.tpu) == (bf16, tpu)


def test_with_unknown_arguments_left_over(monkeypatch):
    args, rest = parse(monkeypatch, "--bf16", "--unheard-of", parse_known=True)
    assert (args.bf16, args.tpu, rest) == (True, False, ["--unheard-of"])
