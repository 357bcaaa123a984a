import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from support.text import write_bitext

from xalign_fairseq import load_aligner
from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.load import scoring_method
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.processes import AlignerPool
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner
from xalign_fairseq.aligner.statistical.folder import learn_models
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.packaged import ORIGIN
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.transport.linking import Linking

SIDES = ["the house is old", ""], ["the house is old", "a"]


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The folder of an aligner of a small text."""
    folder = tmp_path_factory.mktemp("text")
    learn_models(SentencePairs(*write_bitext(folder)), folder, lambda *_: None)
    return folder


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({}, Aligner, "layer 1 of 3"),
        ({"linking": Linking("argmax"), "device": "cpu"}, Aligner, "argmax (other options: stored in the model"),
        ({"processes": 2}, AlignerPool, ", 2 processes"),
        ({"statistics": "LEARNED"}, CombinedAligner, "from statistics that the encoder guides"),
    ],
)
def test_every_kind_of_aligner_behaves_alike(tiny_checkpoint, learned, options, kind, words):
    options = {name: str(learned) if value == "LEARNED" else value for name, value in options.items()}
    with load_aligner(tiny_checkpoint, dtype="float32", **options) as aligner:
        assert isinstance(aligner, kind) and words in aligner.describe() and "|version:" in aligner.signature()
        first, second = aligner.align(*SIDES)
        assert first.src == SIDES[0][0].split() and second.links == {}
        assert list(aligner.stream(zip(*SIDES, strict=True))) == [first, second]
        assert first.matrix.shape == (4, 4) and second.matrix.shape == (0, 1)
        assert aligner.unknown().tokens > 0


def test_from_bitext_alone(learned):
    aligner = load_aligner(learned, min_probability=0.9)
    assert isinstance(aligner, StatisticalAligner) and "probability of at least 0.90" in aligner.describe()
    assert f"|system:{aligner.describe()}|" in aligner.signature()
    assert all(len(pair.links) <= 4 for pair in aligner.align(*SIDES))


def test_options_given_with_statistics_only_choose_links(tiny_checkpoint, learned):
    linking = Linking("grow", {"threshold": 0.9, "growth": 1.0, "temperature": 0.07})
    few = load_aligner(tiny_checkpoint, linking=linking, statistics=learned)
    many = load_aligner(tiny_checkpoint, linking=Linking(options={"temperature": 0.07}), statistics=learned)
    assert "links with a score of at least 0.9, next to others 0.90" in few.describe()
    assert few._encoder.linking == many._encoder.linking
    assert few._encoder.linking.options == {"threshold": 1.0, "temperature": 0.07}


@pytest.mark.parametrize(
    ("path", "asked", "guide", "method"),
    [
        ("e5-small", Linking(), None, "scored"),
        ("e5-small", Linking("grow"), "scored", "grow"),
        ("e5-small", Linking(), "grow", "grow"),
        ("copy.pt", Linking(), None, "scored"),
        ("here/e5-small", Linking(), None, "grow"),
        ("here/e5-small-gold", Linking(), None, "grow"),
    ],
)
def test_the_method_that_scores_with_statistics(tiny_checkpoint, tmp_path, monkeypatch, path, asked, guide, method):
    """The packaged scorer belongs to e5-small and its copies, but not to a user's model of that name."""
    state = checkpoint.read(tiny_checkpoint)
    torch.save({**state, RECORD: ORIGIN}, tmp_path / "copy.pt")
    for name in ("e5-small", "e5-small-gold"):
        (tmp_path / "here" / name).mkdir(parents=True)
        torch.save(state, tmp_path / "here" / name / "model.pt")
    monkeypatch.chdir((tmp_path / path).parent)
    path = Path(path).name
    assert scoring_method(path, asked, False, guide) == method
    assert open_model(path).with_scorer == (scoring_method(path, Linking(), False) == "scored")


@pytest.mark.parametrize(
    ("linking", "statistics"),
    [
        ({"method": "grow"}, False),
        ({"method": "grow"}, True),
        ({"method": "argmax"}, False),
        ({"method": "transport"}, False),
        ({}, False),
        ({}, True),
    ],
)
def test_links_of_at_least_a_probability_by_every_aligner(tiny_checkpoint, learned, linking, statistics):
    made = {"linking": Linking(**linking), "dtype": "float32", "device": "cpu"}
    made |= {"statistics": str(learned)} if statistics else {}
    sides = [f"{SIDES[0][0]} {word}" for word in "abc"], [SIDES[1][0]] * 3
    with load_aligner(tiny_checkpoint, **made) as usual:
        all_pairs = usual.align(*sides)
    scores = np.sort(np.concatenate([pair.matrix.flatten() for pair in all_pairs]))
    least = float((scores[-5] + scores[-6]) / 2)
    with load_aligner(tiny_checkpoint, min_probability=least, **made) as aligner:
        sure = aligner.align(*sides)
        assert aligner.signature() != usual.signature()
    assert any(pair.links for pair in sure)
    for pair, other in zip(all_pairs, sure, strict=True):
        if statistics or linking.get("method") == "grow":  # all pairs of words
            expected = {(int(i), int(j)): pair.matrix[i, j] for i, j in np.argwhere(pair.matrix >= least)}
        else:  # of the method's links
            expected = {link: p for link, p in pair.links.items() if p >= least}
        assert other.links == pytest.approx(expected)


@pytest.mark.parametrize("option", [{"statistics": "folder"}, {"processes": 2}])
def test_options_that_only_load_aligner_has(tiny_checkpoint, option):
    with pytest.raises(XalignError, match="does not have this option") as raised:
        Aligner.from_pretrained(tiny_checkpoint, **option)
    assert raised.value.parameters == tuple(option)


FORK = """
import os, signal, sys, torch
from xalign_fairseq import Aligner
aligner = Aligner.from_pretrained(sys.argv[1], device="cpu")
torch.ones(2**20).exp().sum()  # starts OpenMP's threads
if not (child := os.fork()):
    signal.alarm(30)
    torch.ones(2**20).exp().sum()
    aligner.align(["the house"] * 9, ["the house"] * 9)
    os._exit(40 + torch.get_num_threads())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_aligns_with_one_thread(tiny_checkpoint):
    command = [sys.executable, "-c", FORK, str(tiny_checkpoint)]
    assert subprocess.run(command, env=os.environ | {"OMP_NUM_THREADS": "2"}).returncode == 41
