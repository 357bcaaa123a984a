from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.metric import Metric, ratio
from xalign_fairseq.evaluation.signature import (
    on_data,
    parse_signature,
    score_signature,
    shared_signature,
    task_signature,
)
from xalign_fairseq.transport.linking import Linking


def metric(name="accuracy", variant="share of items"):
    return Metric(name, ("correct", "items"), lambda gold, mine, language: (gold == mine, 1), ratio, variant)


def test_parts_are_read_back_with_any_content():
    assert task_signature(metric(), "xnli", "0123456789ab", language="de") == (
        "metric:accuracy|variant:share of items|benchmark:xnli|language:de|data:sha256-0123456789ab"
        f"|version:{__version__}"
    )
    line = task_signature(metric(variant="a|b: c\n d"), "pos", "ff", language="zh", windows=128)
    assert "\n" not in line
    assert parse_signature(line) == {
        "metric": "accuracy",
        "variant": "a/b: c d",
        "benchmark": "pos",
        "language": "zh",
        "windows": "128",
        "data": "sha256-ff",
        "version": __version__,
    }


def test_scores_that_differ_in_a_part_are_signed_with_each():
    small, large = "metric:f1|layer:7|version:1", "metric:f1|layer:14|version:1"
    assert shared_signature([("a", small), ("b", small)]) == small
    found = shared_signature([("a", small), ("b", small), ("c", large), ("c", large.replace("n:1", "n:2"))])
    assert found == "metric:f1|layer:7 (a, b), 14 (c)|version:1 (a, b, c), 2 (c)"
    assert shared_signature([("a|b", small), ("c", "metric:f1|version:1")]) == (
        "metric:f1|layer:7 (a/b), unsaid (c)|version:1"
    )


def test_a_score_of_files():
    assert score_signature(hyp_base=1) == (
        f"base:hyp1,gold0|possible:includes-sure|null:unlinked|unit:word|average:micro|version:{__version__}"
    )


def signature(method, options=(), layers=(8,), similarity="hidden", encoding="joint", **more):
    return score_signature(linking=Linking(method, dict(options), layers, similarity, encoding), **more)


def test_a_score_of_an_encoder():
    line = signature("transport", {"mu": 0.25, "rounds": 3})
    assert "|unit:word|" in line
    assert line.endswith(
        "|layer:8|similarity:hidden|method:transport|filter:itermax|rounds:3|alpha:0.9|mu:0.25|eps:1e-06|iterations:2"
        f"|order:columns-first|version:{__version__}"
    )
    assert "rounds" not in signature("transport", {"filter": "argmax"})
    assert "layer:0|" in signature("transport", layers=(0,)) and "layer:7,8|" in signature("argmax", layers=(7, 8))
    assert "|method:itermax|rounds:3|alpha:0.9|version" in signature("itermax", {"rounds": 3})
    assert "|similarity:pointer|" in signature("transport", similarity="pointer")
    assert "encoding" not in line and "|encoding:separate|" in signature("argmax", encoding="separate")
    line = score_signature(system="layer 8\n itermax|mu 1")
    assert "|system:layer 8 itermax/mu 1|" in line and "\n" not in line
    found = on_data(signature("argmax"), {"de-en": "01ab", "a|b": "cd"})
    assert found.endswith(f"|method:argmax|data:de-en=sha256-01ab,a/b=sha256-cd|version:{__version__}")
