import subprocess
import sys

import pytest
from support.processes import type_checked

import xalign_fairseq
from xalign_fairseq.core.version import __version__

LIGHT = "import sys, xalign_fairseq; sys.exit('torch' in sys.modules or 'fairseq' in sys.modules)"
# Links are scored without torch, also from the top level.
SCORED = """
import sys
from xalign_fairseq import parse_line, score
assert score([{(0, 0)}], [parse_line("0-0")]).aer == 0
sys.exit("torch" in sys.modules)
"""


@pytest.mark.parametrize("code", [LIGHT, SCORED])
def test_it_loads_only_requested_names(code):
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_every_name_is_available_and_equals_that_of_its_module():
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.transport.sinkhorn.plan import sinkhorn_plan

    assert xalign_fairseq.__version__ == __version__
    assert xalign_fairseq.Aligner is Aligner and xalign_fairseq.sinkhorn_plan is sinkhorn_plan
    everything: dict = {}
    exec("from xalign_fairseq import *", everything)
    assert set(xalign_fairseq.__all__) <= everything.keys()
    assert set(xalign_fairseq.__all__) <= set(dir(xalign_fairseq))


def test_a_missing_name_is_an_error_that_names_it():
    with pytest.raises(AttributeError, match="'xalign_fairseq' has no attribute 'Alinger'"):
        xalign_fairseq.Alinger  # noqa: B018
    with pytest.raises(ImportError, match="Alinger"):
        exec("from xalign_fairseq import Alinger")


@pytest.mark.slow  # checks the whole package
def test_type_checkers_know_the_names(tmp_path):
    pytest.importorskip("mypy")
    told = type_checked(
        "from xalign_fairseq import Aligner, score\n"
        "aligner = Aligner.from_pretrained('e5-small')\n"
        "reveal_type(aligner.align(['a'], ['b']))\n"
        "score(3, [])\n",
        tmp_path,
    )
    assert 'Revealed type is "list[xalign_fairseq.aligner.protocol.Alignment]"' in told
    assert 'Argument 1 to "score" has incompatible type "int"' in told
