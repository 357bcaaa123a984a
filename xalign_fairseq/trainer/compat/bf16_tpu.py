"""``--bf16`` without a TPU.

Why: ``options.parse_args_and_arch`` sets ``tpu=True`` for ``--bf16``, and then the trainer needs torch_xla.
Touches: ``fairseq.options.parse_args_and_arch``, whose result gets ``tpu=False`` unless ``--tpu`` is on the command
line. fairseq-hydra-train does not have the problem.
Can go: when fairseq drops those two lines.
"""

import sys
from typing import Any

from xalign_fairseq.trainer.compat.patching import Function, instead, wrapping


@instead
def _tpu_only_if_given(original: Function, parser: Any, input_args: Any = None, *args: Any, **kwargs: Any) -> Any:
    parsed = original(parser, input_args, *args, **kwargs)
    namespace = parsed[0] if isinstance(parsed, tuple) else parsed  # a pair with parse_known
    given = "--tpu" in (sys.argv[1:] if input_args is None else input_args)
    if getattr(namespace, "bf16", False) and getattr(namespace, "tpu", False) and not given:
        namespace.tpu = False
    return parsed


UNIT = wrapping(
    "--bf16 without --tpu",
    "fairseq's command lines turn --bf16 into --tpu",
    "fairseq.options",
    "parse_args_and_arch",
    _tpu_only_if_given,
    has="if args.bf16:\n        args.tpu = True",
)
