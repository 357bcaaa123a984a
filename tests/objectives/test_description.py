from dataclasses import dataclass, field

import pytest

import xalign_fairseq.objectives  # noqa: F401
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.papers import Paper
from xalign_fairseq.objectives import registry
from xalign_fairseq.objectives.description import SOURCES, describe, option_rows, registered
from xalign_fairseq.objectives.registry import OBJECTIVES, STREAMS, Loss, Objective, register_objective

OWN = [name for name, cls in OBJECTIVES.items() if cls.__module__.startswith("xalign_fairseq.")]


def test_the_objective_of_the_file_dwa():
    found = describe("dwa")
    assert found.what == "Denoising word alignment with self-labelled links (XLM-Align, Chi et al. 2021)"
    assert found.about[0] == "L_DWA = sum_{i in P} CE(a_i, A(i)), Eq. 11 to 15."
    assert found.paper.authors == "Chi et al. (2021)" and found.paper.url.endswith("2021.acl-long.265/")
    assert found.reads == ("bitext",) and "pointer" in found.head and not found.predicts_tokens
    assert found.logs[:2] == ("dwa_loss", "dwa_accuracy")
    rows = {row.flag: row for row in found.options}
    assert rows["--dwa-label-layer"].default is None and rows["--dwa-label-layer"].default_text == ""
    assert rows["--dwa-mu"].default == 1.0 and "entropic" in rows["--dwa-mu"].help


def test_parameters_besides_the_encoder():
    assert describe("tlm").head is None and describe("tlm").predicts_tokens
    assert describe("linear_mapping").freezes_encoder and not describe("tlm").freezes_encoder


@pytest.mark.parametrize("name", OWN)
def test_every_objective_has_a_paper_a_line_and_help_for_each_option(name):
    found = describe(name)
    assert found.paper and found.paper.url.startswith("https://")
    assert found.what and "\n" not in found.what and set(found.reads) <= SOURCES.keys()
    assert all(row.help for row in found.options) and found.options[0].flag == f"--{name}-weight".replace("_", "-")


def test_every_stream_has_a_source():
    assert SOURCES.keys() == set(STREAMS)


@pytest.fixture
def own(monkeypatch):
    """An objective registered outside the package and removed afterwards, without telling criterions."""
    monkeypatch.setattr(registry, "LISTENERS", [])

    @register_objective("length_of_sides")
    class LengthOfSides(Objective):
        """Sides of one length.

        The second paragraph,
        of two lines.
        """

        paper = Paper("Me (2026)", "Sides", "https://example.org/")

        def forward(self, step):
            return Loss(0, 0)

    yield "length_of_sides"
    del OBJECTIVES["length_of_sides"]


def test_an_objective_of_ones_own_names_its_paper(own):
    found = describe(own)
    assert found.paper.authors == "Me (2026)" and found.reads == () and found.head is None
    assert found.about == ("Sides of one length.", "The second paragraph, of two lines.")


def test_a_wrong_name_gets_suggestions():
    with pytest.raises(XalignError, match="expected: word_exchange"):
        registered("word-exchang")
    with pytest.raises(XalignError, match=r"expected: consistency, .*dict_mlm, "):
        registered("zzzzzz")


def test_options_of_any_configuration():
    @dataclass
    class Config:
        """A dataclass in fairseq's style."""

        data: str = "???"
        own: int = field(default=3, metadata={"help": "two\n  lines"})
        _hidden: int = 1
        seed: str = "${common.seed}"

    data, mine = option_rows(Config, "a_b_")
    assert data == ("--a-b-data", "???", "") and data.default_text == "required"
    assert mine == ("--a-b-own", 3, "two lines") and mine.default_text == "3"
