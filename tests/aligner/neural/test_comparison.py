from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from xalign_fairseq.aligner.gold_sets import GoldSet
from xalign_fairseq.aligner.neural.comparison import VARIED, VARIED_OF_GROW, Grid, grid_linkings, try_linkings
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.names import COMPARED_METHODS, ENCODINGS

GROWN = [("grow", {} if threshold == 0.5 else {"threshold": threshold}) for threshold in VARIED_OF_GROW["threshold"]]
OWN = Linking("transport", {"mu": 0.4, "filter": "union"}, (3,), "hidden", "separate", origin="itself")


def compared(own=Linking("transport", {}, (3,), "hidden", "joint"), pointer=None, maps=None, **grid):  # noqa: B008
    """The linkings of a grid, for an aligner of an encoder of four layers."""
    encoder = SimpleNamespace(config=EncoderConfig(vocab_size=10, encoder_layers=4))
    return grid_linkings(Grid(**grid), SimpleNamespace(encoder=encoder, linking=own, pointer=pointer, maps=maps))


def methods(**grid):
    """Methods and options of a grid with one layer and encoding."""
    return [(each.method, each.options) for each in compared(layers=[(1,)], encodings=["joint"], **grid)]


def test_without_options_the_usual_settings():
    softmax = [("softmax", {} if at == 0.001 else {"threshold": at}) for at in VARIED["threshold"]]
    expected = [("transport", {}), ("transport", {"filter": "argmax"}), ("argmax", {}), ("itermax", {})]
    expected += [*softmax, *GROWN]
    found = compared()
    assert len(COMPARED_METHODS) == 5
    assert [(each.layers, each.encoding, each.method, each.options) for each in found] == [
        ((layer,), encoding, *method) for layer in range(5) for encoding in ENCODINGS for method in expected
    ]


def test_layers_and_means_of_neighbours():
    def layers(**grid):
        return [each.layers for each in compared(methods=["argmax"], encodings=["joint"], **grid)]

    assert layers(layers=[(1,), (-1,), (2, 3), (0, 4), (1,)]) == [(1,), (4,), (2, 3), (0, 4)]
    assert layers(average=[2, 3])[5:] == [(0, 1), (1, 2), (2, 3), (3, 4), (0, 1, 2), (1, 2, 3), (2, 3, 4)]
    assert layers(layers=[(1,), (2,), (4,)], average=[2]) == [(1,), (2,), (4,), (1, 2)]
    with pytest.raises(XalignError, match="no such layer"):
        layers(layers=[(5,)])
    with pytest.raises(XalignError, match="not enough neighbouring layers"):
        layers(average=[6])


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ({"varied": {"filter": ["union", "argmax"]}}, [("transport", {"filter": at}) for at in ("union", "argmax")]),
        (
            {"methods": ["softmax"], "varied": {"threshold": [0.1, 0.2, 0.1]}},
            [("softmax", {"threshold": at}) for at in (0.1, 0.2)],
        ),
        ({"varied": {"threshold": [0.1]}}, [(name, {"threshold": 0.1}) for name in ("softmax", "grow")]),
        ({"fixed": {"growth": 1.0}}, [("grow", {**options, "growth": 1.0}) for _, options in GROWN]),
        ({"fixed": {"mu": 0.5}, "varied": {"filter": ["argmax"]}}, [("transport", {"mu": 0.5, "filter": "argmax"})]),
        (
            {"methods": ["argmax", "transport"], "fixed": {"mu": 0.3}, "varied": {"filter": ["argmax"]}},
            [("argmax", {}), ("transport", {"mu": 0.3, "filter": "argmax"})],
        ),
        (
            {"fixed": {"rounds": 3}},
            [("transport", {"rounds": 3}), ("transport", {"filter": "argmax"}), ("itermax", {"rounds": 3})],
        ),
    ],
)
def test_options_choose_among_the_usual_methods(grid, expected):
    assert methods(**grid) == expected


@pytest.mark.parametrize(
    ("grid", "option"),
    [({"fixed": {"scorer": "a"}}, "scorer"), ({"fixed": {"rounds": 3}, "varied": {"filter": ["argmax"]}}, "rounds")],
)
def test_an_option_that_no_method_reads(grid, option):
    with pytest.raises(XalignError, match="no selected method uses this option") as raised:
        methods(**grid)
    assert raised.value.parameters == (option,)


def test_a_self_labelled_model_is_compared_with_its_own_method():
    found = compared(OWN, layers=[(1,)])
    assert [each.finder.filter for each in found] == ["union", "itermax", "argmax"]
    assert {each.finder.mu for each in found} == {0.4} and {each.encoding for each in found} == {"separate"}
    assert len(compared(OWN, layers=[(1,)], encodings=ENCODINGS)) == 6
    assert {each.encoding for each in compared(OWN, methods=["argmax"])} == set(ENCODINGS)
    softmax = Linking("softmax", {"threshold": 0.5}, (3,), "hidden", "separate", origin="itself")
    varied = compared(softmax, layers=[(1,)], varied={"threshold": [0.1, 0.2]})
    assert [each.options for each in varied] == [{"threshold": 0.1}, {"threshold": 0.2}]
    changed = compared(OWN, layers=[(1,)], fixed={"alpha": 0.5, "mu": 0.2})
    assert [(each.finder.mu, each.finder.filter, each.finder.alpha) for each in changed] == [
        (0.2, "union", 0.9),
        (0.2, "itermax", 0.5),
        (0.2, "argmax", 0.9),
    ]
    with pytest.raises(XalignError, match="uses this option") as raised:
        compared(OWN, layers=[(1,)], fixed={"growth": 0.7})
    assert raised.value.parameters == ("growth",)


@dataclass
class OneLink:
    """Replaces an aligner: one link identifies the pair and the layer."""

    linking: Linking = field(default_factory=Linking)
    passes: list = field(default_factory=list)

    def sweep(self, pairs, linkings, progress=None):
        self.passes.append(self.linking.encoding)
        for src, _ in pairs:
            yield [SimpleNamespace(links=[(int(src[0]), each.layer)] * 2) for each in linkings]
            if progress:
                progress(1)


def test_every_setting_on_every_set_in_one_pass_for_each_encoding():
    one, other = (Gold(frozenset(links), frozenset(links)) for links in ({(0, 4), (0, 7)}, {(1, 4)}))
    sets = [GoldSet("a", [(["0"], ["x"]), (["1"], ["y"])], [one, other]), GoldSet("b", [(["1"], ["z"])], [other])]
    places = ((4, "joint"), (4, "separate"), (7, "joint"))
    linkings = [Linking("transport", layers=(layer,), encoding=encoding) for layer, encoding in places]
    aligner, done = OneLink(), []
    trials = try_linkings(aligner, sets, linkings, done.append)
    assert [trial.linking for trial in trials] == linkings
    assert aligner.passes == ["joint"] * 2 + ["separate"] * 2 and sum(done) == 6
    for trial in trials[:2]:
        assert [part.tolist() for part in trial.parts] == [[[1, 1, 1, 2], [1, 1, 1, 1]], [[1, 1, 1, 1]]]
    links = [[{(0, 7)}, {(1, 7)}], [{(1, 7)}]]
    expected = [score(found, text.golds) for found, text in zip(links, sets, strict=True)]
    assert [total.aer for total in trials[2].totals()] == [each.aer for each in expected]
    assert trials[2].aer == pytest.approx((expected[0].aer + 1) / 2)
