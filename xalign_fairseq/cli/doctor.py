"""Check the installation, data-bins and checkpoints.

Prints versions, what breaks transformers where it is installed, the patches applied to fairseq, GPU, apex, compilers,
what computes transport on each device, which is compiled if it isn't yet, and on which GPUs this version was verified.
A data-bin's files are opened and its ids compared with its dictionary and tokenizer; a checkpoint is loaded (weights
only) and its embedding compared with the dictionary of the data-bins given beside it, or of the data-bin that it was
trained on.

Exit code: 0 if all is well, 1 if something is wrong; lines are marked ok, note or WRONG.

Examples:
  xalign doctor
  xalign doctor data-bin checkpoints/checkpoint_best.pt
"""

import argparse
import logging

from xalign_fairseq.cli._doctor_findings import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The paths to look at beside the installation."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a data-bin folder or a checkpoint (.pt)")


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 if any of them is wrong."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # importing fairseq advertises packages that nobody here needs
    try:
        return _report(args.paths)
    finally:
        logging.disable(before)


def _report(paths: list[str]) -> int:
    from xalign_fairseq.cli import (
        _doctor_environment,
        _doctor_files,
        _doctor_gpus,
        _doctor_sinkhorn,
        _doctor_transformers,
    )

    findings = []
    for section, look in (
        ("Installation", _doctor_environment.installation),
        ("Other libraries", _doctor_transformers.transformers),
        ("fairseq patches", _doctor_environment.patches),
        ("Devices", _doctor_environment.devices),
        ("Sinkhorn", _doctor_sinkhorn.sinkhorn),
        ("GPUs", _doctor_gpus.verified),
        ("Files", lambda: _doctor_files.look_at(paths)),
    ):
        try:
            found = look()
        except ImportError as error:  # of what the package needs, as the first section says
            found = [Finding("WRONG", section, f"not looked at: {error}")]
        findings += found
        if found:
            print(section, *found, sep="\n")
    wrong = sum(finding.level == "WRONG" for finding in findings)
    print(f"{wrong} of {len(findings)} checks found something wrong." if wrong else "Nothing is wrong.")
    return 1 if wrong else 0
