"""A run of `xalign links`: options that do not go with its engine."""

import pytest

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.tools.run import LinksRun, link_files
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"model": "a.pt", "symmetrize": "union"}, "symmetrize"),
        ({"model": "a.pt", "directions": "x"}, "directions"),
        ({"engine": "fast_align", "options": AlignerOptions(Linking(layers=(3,)))}, "layer"),
        ({"engine": "fast_align", "options": AlignerOptions(dictionary="d")}, "dict"),
        ({"engine": "fast_align", "model": "a.pt"}, "model"),
        ({"engine": "fast_align", "filters": ("none",)}, "filters"),
    ],
)
def test_options_that_an_engine_does_not_have(monkeypatch, options, parameter):
    monkeypatch.setattr("xalign_fairseq.aligner.tools.tools.Tool.find", lambda tool: "/bin/true")
    with pytest.raises(XalignError) as raised:
        link_files(LinksRun("a.en", "a.de", "out", **options))
    assert raised.value.parameters == (parameter,)
