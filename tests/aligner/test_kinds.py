import json

import pytest

from xalign_fairseq.aligner.kinds import Best, BitextAlone, EncoderAlone, Guided, find_kind
from xalign_fairseq.aligner.options import AlignerOptions, BestParts
from xalign_fairseq.aligner.statistical.folder import DONE
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking

MADE_IN_STEPS = Best(BestParts("e5-small", "grow"))


@pytest.fixture
def folders(tmp_path):
    """A folder of ``train-aligner --best`` with two of statistics."""
    for name in ("statistics", "text.aligner"):
        (tmp_path / name).mkdir()
        (tmp_path / name / DONE).write_text("{}")
    parts = {"encoder": "e5-small", "gold": "", "method": "grow", "trained": "", "statistics": ""}
    (tmp_path / "best.json").write_text(json.dumps({**parts, "steps": {}}))
    return tmp_path


def test_what_names_each_kind(folders):
    statistics = folders / "statistics"
    for asked, kind in (
        (("e5-small",), EncoderAlone()),
        ((None,), BitextAlone(None)),
        ((statistics,), BitextAlone(statistics)),
        (("e5-small", None, True), Guided(None)),
        (("e5-small", statistics), Guided(statistics)),
        ((folders,), MADE_IN_STEPS),
    ):
        assert find_kind(*asked) == kind


def test_the_error_names_the_option_that_does_not_fit(folders):
    with pytest.raises(XalignError, match="where: maps"):  # not the languages, which are those of maps
        BitextAlone(None).check(AlignerOptions(languages=("en", "fr"), maps=True))
    with pytest.raises(XalignError, match=r"need an encoder[\s\S]*leave out model"):
        find_kind(folders / "statistics", "folder")
    with pytest.raises(XalignError, match="has already learned statistics"):
        find_kind(folders, learns=True)


@pytest.mark.parametrize(
    ("kind", "accepted", "refused", "parameter"),
    [
        (EncoderAlone(), {"linking": Linking("argmax")}, {"linking": Linking("argmax", {"mu": 1.0})}, "mu"),
        (EncoderAlone(), {"processes": 2}, {"processes": 2, "device": "cpu,cpu"}, "processes"),
        (BitextAlone(None), {"min_probability": 0.5}, {"device": "cpu"}, "device"),
        (Guided(None), {"linking": Linking("grow"), "maps": True}, {"linking": Linking("argmax")}, "method"),
        (Guided(None), {}, {"linking": Linking(options={"growth": 2.0})}, "growth"),
        (MADE_IN_STEPS, {"device": "cpu"}, {"maps": True}, "maps"),
        (MADE_IN_STEPS, {"linking": Linking(options={"threshold": 0.3})}, {"statistics": "a"}, "statistics"),
    ],
)
def test_the_options_of_each_kind(kind, accepted, refused, parameter):
    kind.check(AlignerOptions(**accepted))
    options = AlignerOptions(**refused)
    with pytest.raises(XalignError) as caught:
        kind.check(options)
    assert caught.value.parameters == (parameter,)


def test_a_folder_without_statistics(folders):
    (folders / "other").write_text("a\n")
    learns = "without a folder learns them"
    for name, remedy in ((".", learns), ("nowhere", learns), ("text", "use statistics=.*text"), ("other", "give it")):
        with pytest.raises(XalignError, match=rf"folder (has no statistics|does not exist)[\s\S]*{remedy}"):
            Guided(folders / name).check(AlignerOptions())
