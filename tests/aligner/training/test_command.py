"""What fairseq makes of the command lines, by its own parser."""

from pathlib import Path

import pytest
from fairseq import options

import xalign_fairseq
from xalign_fairseq.aligner.training.command import require_known, train_options
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.aligner.training.text import DevelopmentSet
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig

xalign_fairseq.register()
CONFIG = EncoderConfig(vocab_size=50, encoder_layers=3, encoder_embed_dim=16, encoder_ffn_embed_dim=32,
                       encoder_attention_heads=2, max_positions=64, layer_norm_eps=1e-12)  # fmt: skip
DEV = DevelopmentSet("dev.de", "dev.fr", "dev.gold")


@pytest.fixture
def parsed():
    """fairseq's options for a run."""

    def parse(cpu=True, **chosen):
        run = TrainingRun("model.pt", "train.de", "train.fr", Path("out"), ("de", "fr"), **chosen)
        line = train_options(run, CONFIG, 2, cpu)
        return options.parse_args_and_arch(options.get_training_parser(), input_args=line)

    return parse


def test_the_defaults(parsed):
    args = parsed(dev=DEV)
    assert (args.data, args.save_dir, args.task, args.cpu) == ("out/data-bin", "out", "xalign_pretraining", True)
    assert (args.criterion, args.objectives, args.loss_normalization) == ("weighted", "dwa,tlm", "per-objective")
    assert (args.dwa_label_by, args.dwa_label_layer, args.dwa_layer, args.dwa_queries) == ("hidden", 2, -1, "masked")
    assert (args.dwa_start_update, args.dwa_links_until) == (0, 0)
    assert (args.lr, args.max_update, int(args.total_num_update), args.batch_size) == ([2e-5], 20000, 20000, 8)
    assert (args.optimizer, args.lr_scheduler, args.clip_norm) == ("xalign_adamw", "polynomial_decay", 1.0)
    assert args.required_batch_size_multiple == 1
    assert args.pivot_lang == "fr"


@pytest.mark.parametrize(("updates", "keys"), [(20000, 16000), (100000, 32000), (5, 8)])
def test_mocos_queue_is_full_after_a_tenth_of_the_updates(parsed, updates, keys):
    assert parsed(objectives=("moco",), updates=updates).moco_queue_size == keys
    assert parsed(updates=updates).moco_queue_size == 32000


def test_the_model_is_built_as_the_checkpoint_is(parsed):
    assert EncoderConfig.from_options(parsed(), vocab_size=50) == CONFIG
    assert parsed().init_checkpoint == "model.pt"


def test_checkpoints_are_chosen_by_aer_at_updates_alone(parsed):
    args = parsed(dev=DEV, validate_every=7, patience=3)
    assert (args.best_checkpoint_metric, args.maximize_best_checkpoint_metric, args.patience) == ("aer", False, 3)
    assert (args.validate_interval_updates, args.save_interval_updates, args.keep_interval_updates) == (7, 7, 1)
    assert min(args.validate_interval, args.save_interval) > 10**6
    assert not args.disable_validation
    assert (args.aer_layer, args.aer_similarity) == (2, "hidden")
    assert parsed(dev=DEV, patience=0).patience == -1  # never


def test_given_links_are_all_that_the_pointer_learns_from(parsed):
    args = parsed(links="train.links", dev=DEV, updates=90)
    assert (args.dwa_links_until, args.dwa_queries) == (90, "all-aligned")
    assert (args.dwa_label_by, args.dwa_layer, args.aer_similarity) == ("pointer", 2, "pointer")
    assert args.lr == [1e-4]


def test_self_training_takes_of_its_links_those_that_are_given(parsed):
    alone, checked = (parsed(objectives=("self_training",), links=links) for links in (None, "train.links"))
    assert (alone.self_training_labels, checked.self_training_labels) == ("found", "both")
    extra = ("--self-training-labels", "given")
    assert parsed(objectives=("self_training",), links="train.links", extra=extra).self_training_labels == "given"


def test_the_layer_is_that_of_every_objective_that_has_one(parsed):
    args = parsed(links="train.links", objectives=("word_contrastive", "l2_align", "reg_param"))
    assert (args.word_contrastive_layer, args.l2_align_layer, args.aer_layer, args.dwa_label_layer) == (2, 2, 2, 2)
    assert args.ot_align_layer == 2
    assert args.objectives == "word_contrastive,l2_align,reg_param"


def test_self_training_reads_the_layer_and_trains_what_is_not_frozen(parsed):
    args = parsed(objectives=("self_training", "consistency"), warmup=50, freeze_layers=0, pointer_start="identity")
    assert (args.dwa_pointer_start, parsed().dwa_pointer_start) == ("identity", "random")
    assert (args.dwa_layer, parsed().dwa_layer) == (2, -1)  # it begins with what labels
    heads = parsed(heads_lr=1e-3, freeze_encoder_updates=5)
    assert (heads.heads_lr, heads.freeze_encoder_updates) == (1e-3, 5)
    assert (parsed().heads_lr, parsed().freeze_encoder_updates) == (None, 0)
    assert (args.self_training_layer, args.consistency_layer, args.psi_layer, args.aer_layer) == (2, 2, 3, 2)
    assert (args.warmup_updates, args.freeze_layers, args.autocast) == (50, 0, "auto")
    assert (parsed().warmup_updates, parsed().freeze_layers) == (0, None)
    assert not hasattr(parsed(cpu=False), "autocast")  # as it is without the option


def test_options_of_the_user_come_last(parsed):
    args = parsed(cpu=False, extra=("--dropout", "0.1", "--adam-eps", "1e-6"))
    assert (args.cpu, args.dropout, args.adam_eps) == (False, 0.1, 1e-6)


@pytest.mark.parametrize(
    ("extra", "message"), [("--no-such-option", "--no-such-option"), ("--dropout=much", "invalid float value")]
)
def test_options_that_fairseq_does_not_take(extra, message):
    run = TrainingRun("model.pt", "train.de", "train.fr", Path("out"), ("de", "fr"))
    line = train_options(run, CONFIG, 2, True)
    require_known([*line, "--dropout=0.1"])
    with pytest.raises(XalignError, match=message):
        require_known([*line, extra])
