"""Check the installation.

Prints versions, whether transformers can be imported, the patches applied to fairseq, GPUs, compilers, and the Sinkhorn
backend of each device (compiled if it is not yet).

Each line is marked ok, note or WRONG. The exit code is 1 if anything is wrong.

Example:
  xalign doctor
"""

import argparse
import logging

from xalign_fairseq.core.errors import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 if any of them is wrong."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # importing fairseq logs hints about unneeded packages
    try:
        return _report()
    finally:
        logging.disable(before)


def _report() -> int:
    from xalign_fairseq.core import installation

    findings = []
    for section, look in (
        ("Installation", installation.installation),
        ("Other libraries", installation.transformers),
        ("fairseq patches", patches),
        ("Devices", _devices),
        ("Sinkhorn", _sinkhorn),
    ):
        try:
            found = look()
        except ImportError as error:  # the first section reports missing requirements
            found = [Finding("WRONG", section, f"not checked: {error}")]
        findings += found
        if found:
            print(section, *(each.line() for each in found), sep="\n")
    wrong = sum(finding.level == "WRONG" for finding in findings)
    print(f"{wrong} of {len(findings)} checks found something wrong." if wrong else "Nothing is wrong.")
    return 1 if wrong else 0


def _devices() -> list[Finding]:
    from xalign_fairseq.core.installation import apex, gpus
    from xalign_fairseq.transport.diagnosis import linear_products

    return [*gpus(), linear_products(), apex()]


def _sinkhorn() -> list[Finding]:
    from xalign_fairseq.transport.diagnosis import sinkhorn

    return sinkhorn()


def patches() -> list[Finding]:
    """The patches that this installation's fairseq needs, and whether everything registers with it."""
    from xalign_fairseq.core.installation import has_fairseq

    found: list[Finding] = []
    if not has_fairseq():
        return found
    try:
        import xalign_fairseq
        from xalign_fairseq.trainer import compat

        found += [Finding("ok", entry.name, f"{entry.state}: {entry.reason}") for entry in compat.apply()]
        xalign_fairseq.register()
    except Exception as error:  # report every error of importing fairseq
        return [*found, Finding("WRONG", "import", f"fairseq cannot be used: {type(error).__name__}: {error}")]
    return [*found, Finding("ok", "registration", "tasks, criterions and models are registered with fairseq")]
