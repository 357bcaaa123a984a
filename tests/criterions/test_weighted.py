import argparse
import dataclasses
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from fairseq import metrics
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, CRITERION_REGISTRY
from fairseq.dataclass.utils import gen_parser_from_dataclass
from hydra.core.config_store import ConfigStore
from support.small import CONFIG, pair
from support.trials import Task, build_criterion

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.criterions import weighted
from xalign_fairseq.criterions.validation import AerCounter
from xalign_fairseq.criterions.weighted import CRITERIONS, WeightedConfig, WeightedCriterion, add, describe_batch
from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.objectives.presets import PRESETS, Preset
from xalign_fairseq.objectives.registry import OBJECTIVES, Loss, Objective, options_of, register_objective
from xalign_fairseq.training import weighted_sum

TASK = Task(languages=("aa", "bb", "cc"))


class Model:
    """Replaces the encoder: runs any function."""

    def __call__(self, run):
        idle = lambda self, *heads, **more: torch.zeros(())  # noqa: E731
        return run(type("Step", (), {"update": 5, "training": True, "idle": idle})())


def criterion(losses, **options):
    made = build_criterion("xlm_align", TASK, **options)
    for objective in made.objectives:
        total, count = losses[objective.name]
        value = Loss(
            torch.tensor(total),
            torch.tensor(count),
            {s: (torch.tensor(1), torch.tensor(2)) for s in objective.traits.stats},
        )
        objective.step = lambda encoder, batch: encoder
        objective.forward = lambda step, value=value: value
    return made


LOSSES = {"mlm": (12.0, 4), "tlm": (30.0, 5), "dwa": (2.0, 1)}
SAMPLE = {"ntokens": 7, "nsentences": 2}


def test_per_objective_normalisation_is_the_sum_of_means():
    loss, size, _ = criterion(LOSSES, loss_normalization="per-objective", tlm_weight=0.5)(Model(), SAMPLE)
    assert float(loss) == pytest.approx(12 / 4 + 0.5 * 30 / 5 + 2 / 1) and size == 1


@pytest.mark.parametrize("normalization", ["joint", "per-objective"])
def test_regularisers_are_logged_next_to_the_validation_loss(normalization):
    losses = {"l2_align": (12.0, 4), "reg_param": (50.0, 1), "reg_hidden": (30.0, 5)}
    made = criterion(losses, **{"objectives": ",".join(losses), "loss_normalization": normalization})
    trained, size, _ = made(Model(), SAMPLE)
    assert trained / size == pytest.approx(92 / 10 if normalization == "joint" else 12 / 4 + 50 + 30 / 5)
    made.eval()
    validated, size, logs = made(Model(), SAMPLE)
    assert validated / size == logs["loss"] / logs["sample_size"] == 12 / 4
    assert logs["reg_param/loss/sum"] == 50 and logs["reg_hidden/loss/sum"] == 30
    alone = criterion(losses, objectives="reg_param", loss_normalization=normalization).eval()
    assert alone(Model(), SAMPLE)[0] == 50


def test_counts_ahead_of_an_update_are_summed_for_the_normalisation_that_needs_them(monkeypatch):
    asked = []
    monkeypatch.setattr(weighted_sum, "all_sum", lambda counts: asked.append(counts) or counts)
    for normalization, expected in (("joint", 0), ("per-objective", 1)):
        criterion(LOSSES, loss_normalization=normalization).begin_update([{}], torch.device("cpu"))
        assert len(asked) == expected


def test_objectives_and_weights_select_the_work():
    made = criterion(LOSSES, objectives="tlm,dwa", dwa_weight=0.0)
    assert [objective.name for objective in made.active] == ["tlm"] and made.needs == {"bitext"}
    for bad in ("mlm,nothing", "", "mlm,mlm"):
        with pytest.raises(XalignError, match="objective"):
            criterion(LOSSES, objectives=bad)


def test_losses_are_logged_in_bits_and_stats_as_ratios():
    logs = criterion(LOSSES)(Model(), SAMPLE)[2]
    with metrics.aggregate() as found:
        WeightedCriterion.reduce_metrics([logs, logs])
    values = found.get_smoothed_values()
    assert values["tlm_loss"] == pytest.approx(30 / 5 / math.log(2), abs=1e-3)
    assert values["loss"] == pytest.approx(44 / 10 / math.log(2), abs=1e-3)
    assert values["mlm_accuracy"] == 0.5


def test_aer_is_micro_averaged_over_batches_and_averaged_over_pairs():
    golds = [
        Gold(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)})),
        Gold(frozenset({(0, 1), (2, 2)}), frozenset({(0, 1), (2, 2)})),
    ]
    hyps = [{(0, 0), (1, 1), (1, 0)}, {(0, 1)}]
    with metrics.aggregate() as found:
        for hyp, gold in zip(hyps, golds, strict=True):  # one batch each
            parts = {
                "hits_sure": len(hyp & gold.sure),
                "hits_possible": len(hyp & gold.possible),
                "links": len(hyp),
                "sure": len(gold.sure),
            }
            sums = {f"aer/aa-bb/{part}": float(value) for part, value in parts.items()}
            AerCounter.log({**sums, **{f"aer/aa-cc/{part}": 0.0 for part in parts}})
    values = found.get_smoothed_values()
    assert values["aer_aa-bb"] == pytest.approx(score(hyps, golds).aer, abs=1e-4)
    assert values["aer"] == values["aer_aa-bb"] and "aer_aa-cc" not in values


class Freezing:
    """A model that only records whether it was frozen."""

    frozen = False

    def __init__(self):
        self.encoder = SimpleNamespace(config=CONFIG, requires_grad_=self.require_gradients)
        self.attached = []

    def require_gradients(self, required):
        self.frozen = not required

    def freeze_lm_head(self):
        pass

    def attach_head(self, name, head):
        self.attached.append(name)


def with_flag(flag, task=TASK):
    made = criterion(LOSSES)
    made.task = task
    for objective in made.objectives:
        if objective.name == "dwa":
            objective.traits = replace(objective.traits, **{flag: True})
    return made


def test_an_objective_that_freezes_the_encoder_excludes_those_that_train_it():
    model, made = Freezing(), with_flag("freezes_encoder")
    with pytest.raises(XalignError, match=r"mlm, tlm with dwa[\s\S]*train dwa in a separate run"):
        made.attach_heads(model)
    assert not model.frozen and not model.attached
    made.active = [objective for objective in made.active if objective.name == "dwa"]
    made.attach_heads(model)
    assert model.frozen and model.attached == ["dwa"]


def test_an_objective_that_edits_parameters_refuses_master_weights():
    master = replace(TASK, has_master_weights=True)
    with pytest.raises(XalignError, match=r"dwa changes its parameters[\s\S]*memory_efficient_fp16"):
        with_flag("edits_parameters", master).attach_heads(Freezing())
    with_flag("edits_parameters").attach_heads(Freezing())


def test_objectives_know_languages_and_pivot():
    made = criterion(LOSSES)
    made.attach_heads(Freezing())
    contexts = [objective.context for objective in made.objectives]
    assert {(each.languages, each.pivot) for each in contexts} == {(TASK.languages, TASK.pivot)} and TASK.pivot


def test_losses_that_are_not_likelihoods_are_logged_unchanged():
    logs = [{"loss": 8.0, "sample_size": 2, "tlm/loss/sum": 4.0, "tlm/loss/count": 2, "l2_align/loss/sum": 4.0,
             "l2_align/loss/count": 2}]  # fmt: skip
    with metrics.aggregate() as logged:
        WeightedCriterion.reduce_metrics(logs)
    values = logged.get_smoothed_values()
    assert values["l2_align_loss"] == 2 and values["tlm_loss"] == pytest.approx(2 / math.log(2), abs=1e-3)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_an_unavailable_sinkhorn_backend_is_an_error_before_training():
    with pytest.raises(XalignError, match="no GPU"):
        criterion(LOSSES, sinkhorn_backend="cuda")


def test_criterions_with_negatives_from_the_batch_are_marked():
    contrasting = {
        name
        for name in ("xlm_align", "explicit_alignments", "ppa", "weam", "align_mlm")
        if build_criterion(name, TASK).reader([]).apart
    }
    assert contrasting == {"explicit_alignments", "ppa"}
    assert not build_criterion("ppa", TASK, moco_weight=0.0).reader([]).apart


def test_objectives_whose_loss_is_not_finite_are_named_with_their_batch(monkeypatch):
    monkeypatch.setattr(weighted, "describe_batch", lambda sample, task: f"{sample['nsentences']} pairs")
    made = criterion({**LOSSES, "tlm": (math.nan, 5), "dwa": (math.inf, 1)})
    samples = [SAMPLE, {**SAMPLE, "nsentences": 3}]
    for sample in samples:
        made(Model(), sample)
    assert made.nonfinite(samples) == (
        "the loss of tlm, dwa in batch 1 of 2 of 2 pairs; the loss of tlm, dwa in batch 2 of 2 of 3 pairs"
    )
    made.seen.clear()
    made(Model(), SAMPLE)
    assert made.nonfinite([SAMPLE]) == "the loss of tlm, dwa in the batch of 2 pairs"
    finite = criterion(LOSSES)
    finite(Model(), SAMPLE)
    assert finite.nonfinite([SAMPLE]) == ""


@pytest.fixture
def task():
    symbols = ["<s>", "<pad>", "</s>", "<unk>", *(f"s{i}" for i in range(4, 59))]
    return SimpleNamespace(
        source=SimpleNamespace(all_languages=("de", "en", "fr")),
        dictionary=SimpleNamespace(symbols=symbols),
        datasets={"train": SimpleNamespace(now=3)},
    )


def test_an_error_names_a_batch_by_its_first_texts(task):
    pairs = [pair([5, 6], [7], langs=(1, 0)), pair([8, 9, 10, 11], [12], langs=(0, 1))]
    assert describe_batch(collate(pairs, []), task) == '2 pairs of de, en in epoch 3, the first: "s5 s6 </s> s7 </s>"'


LEXICON = Lexicon("aa", "bb", [5], [1], [40], [1], [0])


@pytest.mark.parametrize(("name", "preset"), PRESETS.items())
def test_a_preset_has_its_papers_objectives(name, preset):
    made = build_criterion(name, Task(lexicons=[LEXICON]), aer_filter="argmax")
    assert isinstance(made, WeightedCriterion) and type(made) is CRITERION_REGISTRY[name]
    assert tuple(objective.name for objective in made.active) == preset.objectives and made.aer.filter == "argmax"
    own, usual = (dataclasses.asdict(CRITERION_DATACLASS_REGISTRY[each]()) for each in (name, "weighted"))
    assert dict(own.items() - usual.items()) == {"objectives": ",".join(preset.objectives), **preset.defaults}


def test_every_criterion_has_every_option_of_every_objective():
    expected = {field.name for field in dataclasses.fields(WeightedConfig)}
    for name, objective in OBJECTIVES.items():
        expected |= {f"{name}_{option.name}" for option in options_of(objective)}
    for name in (*OBJECTIVES, "weighted", "xlm_align"):
        assert {field.name for field in dataclasses.fields(CRITERION_DATACLASS_REGISTRY[name])} == expected


@pytest.mark.parametrize(
    ("options", "unused"),
    [
        ({"dwa_layer": 7, "word_exchange_weight": 2.0}, "word_exchange_weight"),
        ({"objectives": "tlm", "dwa_queries": "unmasked"}, "dwa_queries"),
        ({"dwa_layer": 7}, ""),
    ],
)
def test_options_of_objectives_outside_the_sum_are_warned_of(caplog, options, unused):
    build_criterion("xlm_align", **options)
    found = [each.getMessage().partition("sum: ")[2] for each in caplog.records if "no effect" in each.message]
    assert found == ([unused] if unused else [])


def test_an_objective_that_returns_no_loss_is_named():
    made = criterion(LOSSES)
    made.objectives[1].forward = lambda step: torch.zeros(())
    with pytest.raises(XalignError, match=r"(?s)does not return its loss.*where: tlm.*a Tensor"):
        made(Model(), SAMPLE)


def test_a_preset_can_be_added(monkeypatch):
    monkeypatch.setattr(weighted, "CRITERIONS", dict(weighted.CRITERIONS))  # other tests use all presets
    add("only_tlm", Preset(("tlm",), {"tlm_weight": 3.0}))
    made = build_criterion("only_tlm")
    assert [objective.name for objective in made.active] == ["tlm"] and made.objectives[0].weight == 3.0
    assert type(made).__name__ == "OnlyTlmCriterion"


def test_an_objective_s_annotations_may_be_text():
    """As in a module with ``from __future__ import annotations``."""
    code = """from __future__ import annotations
from dataclasses import dataclass
from xalign_fairseq.objectives.registry import Objective, option, register_objective

@register_objective("texts")
@dataclass
class Texts(Objective):
    depth: int | None = option(None, "depth")

    def forward(self, step):
        raise NotImplementedError
"""
    exec(code, {"__name__": __name__})
    parser = argparse.ArgumentParser()
    gen_parser_from_dataclass(parser, CRITERION_DATACLASS_REGISTRY["dwa"]())
    assert parser.parse_args(["--texts-depth", "2"]).texts_depth == 2


def test_a_late_objective_reaches_existing_criterions_by_command_line_and_yaml():
    @register_objective("late")
    class Late(Objective):
        def forward(self, step):
            return Loss(step.encoder.idle(), step.encoder.idle().long())

    assert CRITERIONS["late"] == Preset(("late",))
    for name in ("xlm_align", "late"):
        assert CRITERION_DATACLASS_REGISTRY[name]().late_weight == 1.0  # fairseq's parser asks here
        assert CRITERION_REGISTRY[name].__dataclass().late_weight == 1.0  # and here
        node = ConfigStore.instance().repo["criterion"][f"{name}.yaml"].node  # and fairseq-hydra-train here
        assert node.late_weight == 1.0 and node._name == name
    both = build_criterion("xlm_align", objectives="tlm,late", late_weight=0.5)
    assert [objective.name for objective in both.active] == ["tlm", "late"] and both.active[1].weight == 0.5
    assert [objective.name for objective in build_criterion("late").active] == ["late"]
