"""Names of ALIGN-MLM's runs, and their scores by hand."""

import math

import pytest

from tests.examples.align_mlm.made_up import add, study
from xalign_fairseq.core.errors import XalignError


@pytest.mark.parametrize(
    ("name", "data", "folder"),
    [
        ("mlm.trans-1", "trans", "trans"),
        ("dict_mlm.trans_syn.dictionary50-12", "trans_syn.dictionary50", "trans_syn"),
        ("xlm.trans_inv.parallel100-3", "trans_inv.parallel100", "trans_inv"),
        ("xlm.trans_inv.overlap25-3", "trans_inv.overlap25", "trans_inv.overlap25"),
    ],
)
def test_names_give_the_paths_of_data(name, data, folder):
    setting, seed = study.split_name(name)
    assert (setting.data, setting.folder, f"{setting}-{seed}") == (data, folder, name)
    assert setting.is_default == ("." not in data)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "mlm",
        *(f"mlm.trans{end}" for end in ("", "-x", "_in-1", ".a5-1", ".parallel-1", "-1-2")),
        "rlm.trans-1",
        "mlm-trans-1",
    ],
)
def test_an_unknown_run_is_refused(name):
    with pytest.raises(XalignError, match="unknown run"):
        study.split_name(name)


def test_scores_and_gap_of_a_run_by_hand(tmp_path):
    add(tmp_path, "xlm.trans_inv-1", 9, 5, wobble=20)
    [[run]] = study.read(tmp_path).values()
    # 5 * 50 + 20 = 270 of 500; with equal numbers of predicted and gold entities, F1 is this share
    assert run.scores("pos") == pytest.approx({"SUP": 0.9, "ZS": 0.54, "Δ": 0.36})
    assert run.scores("pos", "accuracy")["ZS"] == pytest.approx(0.5)
    assert study.gap_value("pos")(run.gap_counts("pos").sum(0).astype(float)) == pytest.approx(0.36)
    assert run.has("pos") and not run.has("ner")
    assert run.alignment("held out") == 0.25 and math.isnan(run.alignment("unused"))
