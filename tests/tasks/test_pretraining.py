import os
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY
from omegaconf import OmegaConf
from support.text import write

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.databin import mono_prefix  # noqa: E402
from xalign_fairseq.data.pretraining import Reader  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.encoder.vocabulary import stored_model, tokenizer_state  # noqa: E402
from xalign_fairseq.models.xalign import XalignModel  # noqa: E402
from xalign_fairseq.objectives import DWA, MLM  # noqa: E402
from xalign_fairseq.tasks.pretraining import (  # noqa: E402
    XalignPretrainingConfig,
    XalignPretrainingTask,
    pairs_of_a_batch,
)


@pytest.fixture
def shard(tmp_path):
    """Make a data-bin of one pair with the given symbols."""

    def make(name, pair, symbols="abc"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "dict.txt").write_text("".join(f"{symbol} 1\n" for symbol in symbols))
        for lang in pair.split("-"):
            write(folder / f"train.{pair}.{lang}", [[4, 5, 2]])
        return folder

    return make


SIZES = {"encoder_layers": 1, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 8, "encoder_attention_heads": 1}


def build_criterion(task, name):
    options = CRITERION_DATACLASS_REGISTRY[name]()
    options._name = name
    task.build_criterion(OmegaConf.structured(options))


def task(*folders, **options):
    made = XalignPretrainingTask(XalignPretrainingConfig(data=os.pathsep.join(map(str, folders)), seed=1, **options))
    made.reader = Reader({"bitext"})
    return made


def test_pairs_of_a_batch_are_counted_without_its_blocks():
    class FourPairsAndSixBlocks:
        pairs = 4
        __len__ = lambda self: 10  # noqa: E731

    assert pairs_of_a_batch(FourPairsAndSixBlocks(), [np.array([0, 3, 7]), np.array([13, 25])]) == 3 / 2
    assert pairs_of_a_batch(FourPairsAndSixBlocks(), []) == 0


def test_a_shard_may_hold_other_pairs_than_the_first(shard):
    folders = shard("one", "en-fr"), shard("two", "de-en")
    for both in (task(*folders), task(*folders, lang_pairs="de-en,en-fr")):
        numbers = []
        for epoch in (1, 2, 3):
            both.load_dataset("train", epoch=epoch)
            numbers.append(both.datasets["train"][0].corpus)
        assert both.source.pair_names == ["de-en", "en-fr"]
        assert numbers == [1, 0, 1]
    with pytest.raises(XalignError, match=r"(?s)no such language pair.*name it en-fr"):
        task(*folders, lang_pairs="de-en,fr-en")


def test_a_run_resumed_with_more_shards_finishes_its_shard_first(shard):
    folders = [shard(name, pair) for name, pair in (("one", "en-fr"), ("two", "en-fr"), ("three", "en-fr"))]
    for had, expected in ((1, ["one", "two", "one"]), (2, ["two", "three", "one"])):
        before, after = task(*folders[:had]), task(*folders[: had + 1])
        before.load_dataset("train", epoch=4)
        after.load_state_dict(before.state_dict())
        assert [after.source.shards.of_epoch(epoch).path.name for epoch in (4, 5, 6)] == expected
    with pytest.raises(XalignError, match="unexpected content"):
        after.load_state_dict({**before.state_dict(), "shard": {"epoch": "3", "index": 0, "visits": [0]}})


@pytest.mark.parametrize("symbols", ["abcd", "acb"])
def test_a_checkpoint_of_another_dictionary_is_refused(shard, symbols):
    state = task(shard("one", "en-fr")).state_dict()
    task(shard("same", "en-fr")).load_state_dict(state)
    with pytest.raises(XalignError, match=r"not the one that the checkpoint was trained with"):
        task(shard("two", "en-fr", symbols)).load_state_dict(state)


def test_a_checkpoint_whose_language_embeddings_have_another_order_is_refused(shard):
    folder = shard("one", "en-fr")

    def with_model(names):
        made = task(folder)
        made.models = [SimpleNamespace(encoder=SimpleNamespace(config=EncoderConfig(20, language_embeddings=names)))]
        return made

    state = with_model("en,fr").state_dict()
    with_model("en,fr").load_state_dict(state)
    task(folder).load_state_dict(state)  # before the model is built
    with pytest.raises(XalignError, match=r"another value of language_embeddings[\s\S]*fr,en[\s\S]*en,fr"):
        with_model("fr,en").load_state_dict(state)
    assert "language_embeddings" not in with_model("").state_dict()


def test_languages_with_only_monolingual_text_are_numbered_last(shard):
    folder = shard("one", "en-fr")
    for language in ("en", "ro"):
        write(folder / mono_prefix("train", language), [[4, 5, 2]])
    assert task(folder).source.all_languages == ("en", "fr", "ro")


def test_languages_are_those_of_the_chosen_pairs_and_batches_know_them(shard):
    folders = shard("one", "en-fr"), shard("two", "de-en")
    both = task(*folders)
    assert both.source.languages == ("de", "en", "fr") and both.source.pivot == "en"
    assert task(*folders, lang_pairs="en-fr").source.languages == ("en", "fr")
    assert task(*folders, lang_pairs="de-en, en-fr").source.languages == both.source.languages  # with a space
    both.load_dataset("train", epoch=1)
    data = both.datasets["train"]
    assert data.collater([data[0], data[1]])["bitext"]["langs"].tolist() == [[1, 2], [2, 1]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, False),
        ({"fp16": True}, True),
        ({"bf16": True}, True),
        ({"fp16": True, "memory_efficient_fp16": True}, False),
    ],
)
def test_mixed_precision_has_master_weights_unless_it_saves_memory(shard, options, expected):
    switches = dict.fromkeys(("fp16", "bf16", "memory_efficient_fp16", "memory_efficient_bf16"), False)
    assert task(shard("one", "en-fr"), **{**switches, **options}).has_master_weights is expected


def test_languages_and_pivot_are_those_of_training(shard):
    folder = shard("one", "en-fr")
    for lang in ("de", "fr"):
        write(folder / f"valid.de-fr.{lang}", [[4, 5, 2]])
    one = task(folder)
    assert one.source.languages == ("en", "fr") and one.source.pivot == "en"
    one.load_dataset("valid")
    batch = one.datasets["valid"].collater([one.datasets["valid"][0]])["bitext"]
    assert batch["langs"].tolist() == [[-1, 1]]  # German has no number


def test_options_of_batches_reach_the_dataset(shard):
    folder = shard("one", "en-fr")
    plain, chosen = task(folder), task(folder, length_bucket_width=0, mask_special_tokens=True)
    for made, criterion in ((plain, "tlm"), (chosen, "moco")):
        build_criterion(made, criterion)
        made.load_dataset("train")
    data = [made.datasets["train"] for made in (plain, chosen)]
    found = [(each.bucket_width, each.apart, each.mask.specials) for each in data]
    assert found == [(1, False, False), (0, True, True)]
    refused = {"length_bucket_width": -1, "epoch_items": 0, "mono_batch_size": -2, "mono_tokens_per_sample": 1}
    refused |= {"max_pair_length": 0, "sampling_temperature": float("nan"), "mask_prob": 0.0, "lang_pairs": 1}
    for name, value in refused.items():
        with pytest.raises(XalignError, match=f"{name}\n  found: {value}"):
            task(folder, **{name: value})


def test_a_run_too_short_for_mocos_queue_is_warned_of_at_the_start(shard, caplog):
    def begin(epoch=1, **options):
        made = task(shard(f"{len(caplog.messages)}-{epoch}-{options['max_update']}", "en-fr"), **options)
        build_criterion(made, "moco")
        made.load_dataset("train")
        made.get_batch_iterator(made.datasets["train"], max_sentences=4, num_shards=3, epoch=epoch)

    for options in ({"max_update": 0}, {"max_update": 10**6}, {"max_update": 9, "epoch": 2}):
        begin(update_freq=[2], **options)
    assert "moco learns nothing" not in caplog.text
    begin(update_freq=[2], max_update=9)  # one pair per batch in each of three processes
    assert "but before the last of 9 updates of 6 pairs it has only 48;" in caplog.text


def test_the_initial_encoders_origin_is_kept(shard, tmp_path):
    folder = shard("one", "en-fr")
    first = task(folder)
    config = EncoderConfig(first.dictionary.embedding_size, **SIZES)
    stored = {"cfg": {"model": SIZES}, "model": XalignModel(config).state_dict(), "task_state": {}}
    stored["task_state"] = {"family": "tiny", "trimmed": {"to": ["a.en"]}, "transfer": {}}
    torch.save(stored, tmp_path / "model.pt")
    options = SimpleNamespace(
        **SIZES, init_checkpoint=tmp_path / "model.pt", language_embeddings="", layer_norm_eps=1e-5
    )
    XalignModel.build_model(options, first)
    assert first.state_dict()["family"] == "tiny" and first.state_dict()["trimmed"] == {"to": ["a.en"]}
    resumed = task(folder)
    assert resumed.state_dict().keys() == {"tokenizer", "shard"}
    resumed.load_state_dict(first.state_dict())
    assert resumed.state_dict().keys() == {"tokenizer", "shard", "family", "trimmed"}


def test_the_first_tokenizer_is_kept_if_the_data_have_none(shard):
    """Like those of ``fairseq-preprocess``; a resumed run keeps it, too."""
    folder = shard("plain", "en-fr")
    first, resumed = task(folder), task(folder)
    assert stored_model(first.state_dict()["tokenizer"]) is None
    began = tokenizer_state(first.dictionary, b"of the checkpoint")
    first.load_state_dict({"tokenizer": began})
    resumed.load_state_dict(first.state_dict())
    assert stored_model(resumed.state_dict()["tokenizer"]) == b"of the checkpoint"
    (folder / "sentencepiece.model").write_bytes(b"of the data")
    own = task(folder)
    own.load_state_dict({"tokenizer": began})
    assert stored_model(own.state_dict()["tokenizer"]) == b"of the data"


def test_embeddings_and_layers_are_frozen_on_request(shard):
    for frozen, expected in ((None, set()), (0, {"embed_tokens"}), (1, {"embed_tokens", "layers.0"})):
        made = task(shard(f"data{frozen}", "en-fr"), freeze_layers=frozen)
        model = made.build_model(OmegaConf.create({**SIZES, "encoder_layers": 2, "_name": "xalign_tiny"}))
        still = {name for name, each in model.encoder.sentence_encoder.named_parameters() if not each.requires_grad}
        assert expected == {
            part for part in ("embed_tokens", "layers.0", "layers.1") if any(part in name for name in still)
        }


@pytest.mark.parametrize("layers", [0, 2])
def test_a_training_without_parameters_is_refused(layers, shard):
    made = task(shard("data", "en-fr"), freeze_layers=layers)
    made.build_model(OmegaConf.create({**SIZES, "encoder_layers": 2, "_name": "xalign_tiny"}))
    if layers < 2:
        build_criterion(made, "self_training")
        return
    with pytest.raises(XalignError, match=r"(?s)nothing is left to train.*freeze_layers=2"):
        build_criterion(made, "self_training")


@pytest.mark.parametrize(("objective", "told"), [("self_training", True), ("tlm", False), ("dwa", False)])
def test_first_updates_that_train_nothing_are_warned_of(objective, told, shard, caplog):
    made = task(shard("data", "en-fr"), freeze_encoder_updates=5)
    made.build_model(OmegaConf.create({**SIZES, "encoder_layers": 2, "_name": "xalign_tiny"}))
    build_criterion(made, objective)
    assert ("the first 5 updates train nothing" in caplog.text) is told


@pytest.mark.parametrize(
    ("metric", "linked", "expected"),
    [("aer", True, None), ("aer_en-de", True, None), ("loss", False, None), ("dwa_accuracy", False, None),
     ("aer_en-ed", True, "aer, aer_en-de, loss, dwa_loss"), ("aer", False, "no pair of {} has links"),
     ("dwa_acuracy", False, "dwa_accuracy"), ("mlm_loss", True, "one of aer, aer_en-de, loss, dwa_loss")],
)  # fmt: skip
def test_a_score_that_validation_lacks_cannot_choose_checkpoints(metric, linked, expected, shard, monkeypatch):
    """fairseq failed at the first validation with a KeyError."""
    made = task(shard("data", "en-de"), valid_subset="valid,test", best_checkpoint_metric=metric)
    made.objectives = [DWA(), MLM()]
    corpora = [SimpleNamespace(number=0, links=[] if linked else None)]
    dataset = SimpleNamespace(bitext=SimpleNamespace(corpora=corpora), mono=None)
    monkeypatch.setattr(made.source, "dataset", lambda *given: dataset)
    made.load_dataset("other")
    if expected is None:
        made.load_dataset("valid")
        return
    for split in ("valid", "test"):
        with pytest.raises(XalignError, match=rf"(?sm)best_checkpoint_metric.*{metric}.*{expected.format(split)}"):
            made.load_dataset(split)


@pytest.mark.parametrize(
    "options", [{"ddp_backend": "fully_sharded"}, {"zero_sharding": "os", "optimizer": "xalign_adamw"}]
)
def test_options_that_would_split_states_are_refused_early(options):
    name, value = next(iter(options.items()))
    with pytest.raises(XalignError, match=rf"can't be sharded[\s\S]*where: {name}='{value}'"):
        task("nowhere", **options)
    with pytest.raises(XalignError, match="nowhere"):  # fairseq's own optimizers are allowed
        task("nowhere", zero_sharding="os", optimizer="adam")


def test_a_checkpoint_is_validated_on_a_data_bin_without_training_data(shard):
    folder = shard("data", "en-fr")
    for path in folder.glob("train.*"):
        path.rename(path.with_name(path.name.replace("train", "test")))
    cfg = XalignPretrainingConfig(data=str(folder), seed=1)
    build_criterion(XalignPretrainingTask(cfg, from_checkpoint=True), "tlm")
    with pytest.raises(XalignError, match="none for training"):
        build_criterion(XalignPretrainingTask(cfg), "tlm")


def test_no_other_split_is_trained_on(shard):
    made = task(shard("data", "en-fr"), train_subset="valid")
    with pytest.raises(XalignError, match=r"(?s)only the split train.*train_subset.*valid"):
        made.load_dataset("valid")


def test_a_score_missing_in_validation_is_an_error_listing_others(shard):
    made = task(shard("data", "en-fr"), best_checkpoint_metric="lss")
    with pytest.raises(XalignError, match=r"(?s)lss.*one of loss, tlm_loss"):
        made.post_validate(None, {"loss": 1.0, "tlm_loss": 1.0, "_aer_x": 1}, None)
    made.cfg.best_checkpoint_metric = "loss"
    made.post_validate(None, {"loss": 1.0}, None)
