from dataclasses import replace

import pytest

from xalign_fairseq.aligner.training.run import LINK_READERS, OBJECTIVES
from xalign_fairseq.core.errors import XalignError


def with_links(run):
    return replace(run, links=run.src.replace(".de", ".links"))


def test_a_valid_run(run):
    run.check()
    with_links(run).check()
    replace(run, dev=None).check()


def test_objectives_declare_whether_they_read_links():
    import xalign_fairseq
    from xalign_fairseq.objectives.registry import OBJECTIVES as REGISTERED

    xalign_fairseq.register()
    ours = {k: each().traits for k, each in REGISTERED.items() if each.__module__.startswith("xalign")}
    assert {name for name in OBJECTIVES if "links" in ours[name].needs} == set(LINK_READERS)
    # The others read what an aligner lacks, or leave the encoder unchanged.
    others = [each for name, each in ours.items() if name not in OBJECTIVES]
    assert all({"mono", "lexicon"} & set(each.needs) or each.freezes_encoder for each in others)


@pytest.mark.parametrize(
    ("objectives", "message"),
    [
        ("mlm", r"cannot be trained with this objective[\s\S]*mlm[\s\S]*use sentence_mlm"),
        ("tlm,gold", r"found: gold"),
        ("linear_mapping", r"cannot be trained with this objective"),
        ("", r"found: nothing"),
        ("tlm,word_contrastive,l2_align", r"none are given[\s\S]*word_contrastive, l2_align[\s\S]*the command links"),
        ("reg_param,reg_hidden", r"all objectives are regularisers"),
    ],
)
def test_invalid_objectives(run, objectives, message):
    with pytest.raises(XalignError, match=message):
        replace(run, objectives=tuple(objectives.split(","))).check()


def test_links_without_an_objective_that_reads_them(run):
    with pytest.raises(XalignError, match=r"no objective learns from the links[\s\S]*tlm"):
        replace(with_links(run), objectives=("tlm",)).check()
    replace(with_links(run), objectives=("tlm", "word_contrastive")).check()


def test_self_training_that_checks_its_links_has_no_head(run):
    checked = replace(with_links(run), objectives=("self_training",))
    checked.check()
    assert (checked.link_similarity, checked.learning_rate) == ("hidden", 2e-5)
    usual = replace(checked, chosen=frozenset({"objectives"})).for_family("e5-small")
    assert (usual.method, usual.updates, usual.batch_size, usual.warmup) == ("grow", 200, 32, 50)


def test_the_similarity_that_links_are_read_by(run):
    assert run.link_similarity == "hidden"
    assert with_links(run).link_similarity == "pointer"
    assert replace(with_links(run), similarity="hidden").link_similarity == "hidden"
    assert replace(with_links(run), objectives=("word_contrastive",)).link_similarity == "hidden"
    with pytest.raises(XalignError, match="only dwa trains"):
        replace(run, similarity="pointer", objectives=("tlm",)).check()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("updates", 0),
        ("batch_size", 0),
        ("validate_every", 0),
        ("patience", -1),
        ("workers", 0),
        ("warmup", 20001),  # more than updates
        ("lr", 0.0),
        ("seed", -1),
        ("seed", 2**32),
    ],
)
def test_numbers_out_of_range(run, option, value):
    with pytest.raises(XalignError, match=rf"{option}\b"):
        replace(run, **{option: value}).check()


@pytest.mark.parametrize("extra", ["--save-dir", "--max-update=5"])
def test_fairseq_options_set_by_the_run(run, extra):
    with pytest.raises(XalignError, match=rf"set by the run itself[\s\S]*{extra.split('=')[0]}"):
        replace(run, extra=("--dropout", "0.1", extra)).check()
    replace(run, extra=("--dropout", "0.1")).check()


def test_all_missing_files_are_named(run):
    missing = replace(run, tgt="nowhere.en", links="nowhere.links")
    with pytest.raises(XalignError, match=r"nowhere\.en, nowhere\.links"):
        missing.check()


def test_settings_that_make_a_different_run(run, tmp_path):
    mine = run.identity("digest", 2)
    moved = tmp_path / "elsewhere.de"
    moved.write_text("ein Haus\nja\n")
    same = [replace(run, src=str(moved)), replace(run, device="cpu", workers=3), replace(run, lr=2e-5)]
    assert all(other.identity("digest", 2) == mine for other in same)
    others = [
        replace(run, src=run.tgt), replace(run, dev=None), with_links(run), replace(run, seed=2),
        replace(run, objectives=("dwa",)), replace(run, updates=3), replace(run, extra=("--bf16",)),
        replace(run, patience=0), replace(run, languages=("de", "nl")), replace(run, method="grow"),
        replace(run, warmup=3), replace(run, freeze_layers=0),
        replace(run, pointer_start="identity"), replace(run, trim_vocabulary=True),
    ]  # fmt: skip
    assert all(other.identity("digest", 2) != mine for other in others)
    assert run.identity("other", 2) != mine != run.identity("digest", 1)


def chosen(run, **options):
    return replace(run, **options, chosen=frozenset(options)).for_family("e5-small")


def test_unset_options_follow_the_family(run):
    usual = chosen(run)
    assert (usual.objectives, usual.layer, usual.updates, usual.batch_size) == (("self_training",), 7, 200, 32)
    assert usual.method == usual.method_before == "grow"
    assert (usual.learning_rate, usual.warmup, usual.freeze_layers, usual.validate_every) == (2e-5, 50, 0, 50)
    assert usual.trim_vocabulary
    usual.check()
    other = chosen(run, layer=5, updates=90, freeze_layers=None)
    assert (other.layer, other.updates, other.freeze_layers, other.batch_size) == (5, 90, None, 32)
    assert replace(run, chosen=frozenset()).for_family("xlm-r-base") == replace(run, chosen=frozenset())


@pytest.mark.parametrize(
    "options", [{"objectives": ("dwa", "tlm")}, {"similarity": "pointer"}, {"links": "train.links"}]
)
def test_runs_with_a_head_train_longer(run, options):
    found = replace(run, **options, chosen=frozenset({"objectives"} & options.keys())).for_family("e5-small")
    assert (found.objectives, found.updates, found.batch_size, found.layer) == (("dwa", "tlm"), 20000, 8, 7)


def test_the_first_objective_that_labels_makes_the_links(run):
    assert run.method_before is None and replace(run, objectives=("tlm",)).method_before is None
    assert replace(run, objectives=("tlm", "self_training", "dwa")).method_before == "argmax"
    assert replace(run, objectives=("self_training",), method="softmax").method_before == "softmax"
    assert replace(run, objectives=("dwa", "self_training"), method="softmax").method_before is None


def test_family_defaults_are_limited_to_the_requested_updates(run):
    short = chosen(run, updates=3)
    assert (short.warmup, short.validate_every, short.batch_size) == (3, 3, 32)
    short.check()
    other = chosen(run, updates=3, validate_every=5)
    assert (other.warmup, other.validate_every) == (3, 5)


def test_a_method_of_no_objective_is_refused(run):
    refused = {"method": "grow", "objectives": ("dwa", "tlm"), "chosen": frozenset({"method", "objectives"})}
    with pytest.raises(XalignError, match=r"method[\s\S]*found: dwa, tlm"):
        replace(run, **refused).check()
    replace(run, **{**refused, "objectives": ("self_training",)}).check()
    with pytest.raises(XalignError, match=r"set by the run itself[\s\S]*--self-training-method"):
        replace(run, objectives=("self_training",), extra=("--self-training-method", "softmax")).check()
