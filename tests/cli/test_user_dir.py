from pathlib import Path

import xalign_fairseq
from xalign_fairseq.cli import main


def test_it_is_the_packages_own_and_absolute(capsys):
    assert main(["user-dir"]) == 0
    printed = Path(capsys.readouterr().out.removesuffix("\n"))
    assert printed.is_absolute() and printed.samefile(Path(xalign_fairseq.__file__).parent)
