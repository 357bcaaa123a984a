import os
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
import torch
from support.processes import run_workers
from support.text import CONFIG, SYMBOLS, write_plain_data

pytest.importorskip("transformers")
pytest.importorskip("accelerate")

from transformers import AutoModel, Trainer, TrainingArguments

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.pretraining import PretrainingData, PretrainingDataOptions
from xalign_fairseq.data.tokenizers.model_proto import CONTROL, UNKNOWN, Piece, make_unigram
from xalign_fairseq.data.tokenizers.tokenizer_model import write_model
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives import DWA, MLM, TLM
from xalign_fairseq.objectives.registry import Loss
from xalign_fairseq.trainer.optim.adamw import FoldedAdamW
from xalign_fairseq.training.alignment_model import AlignmentModel
from xalign_fairseq.training.batches import Batches
from xalign_fairseq.training.trainer import AlignmentTrainer

SEED, LR, UPDATES = 3, 1e-3, 25
OPTIONS = {"mono_tokens_per_sample": 16, "mono_batch_size": 2}
# A --user-dir in float64 that writes the losses into its own folder.
RECORDER = """
from pathlib import Path
import torch
import xalign_fairseq
torch.set_default_dtype(torch.float64)
xalign_fairseq.register()
from xalign_fairseq.criterions.weighted import WeightedCriterion
forward = WeightedCriterion.forward

def recorded(self, model, sample, reduce=True):
    made = forward(self, model, sample, reduce)
    with open(Path(__file__).with_name("losses"), "a") as file:
        print(float(made[0].detach()) / float(made[1]), file=file)
    return made

WeightedCriterion.forward = recorded
"""


def prepare(out):
    """The folder with a data-bin and an initial checkpoint with heads; always the same."""
    data = PretrainingData(write_plain_data(out / "data-bin"))
    torch.manual_seed(1)
    AlignmentModel(Encoder(CONFIG), [MLM(), TLM(), DWA(label_layer=1)], data).save_pretrained(out / "start.pt")
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("trainer"))


def objectives():
    return [MLM(), TLM(weight=0.5), DWA(label_layer=1)]


def build(folder, *chosen, **options):
    data = PretrainingData(folder / "data-bin", PretrainingDataOptions(**OPTIONS), seed=SEED)
    return AlignmentModel.from_pretrained(folder / "start.pt", chosen or objectives(), data, **options).double(), data


def trainer(folder, out, updates=UPDATES, chosen=(), loss_normalization="joint", dropout=0.0, **arguments):
    """A trainer that records its losses."""
    model, data = build(folder, *chosen, loss_normalization=loss_normalization, dropout=dropout)
    args = TrainingArguments(
        str(out), max_steps=updates, use_cpu=True, report_to="none", disable_tqdm=True, save_steps=10,
        max_grad_norm=1.0, **arguments,
    )  # fmt: skip
    optimizer = FoldedAdamW(model.parameters(), lr=LR)
    still = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    batches = Batches(data, model.reader, max_tokens=120)
    made = AlignmentTrainer(
        model, args, batches, Batches(data, model.reader, "valid", max_tokens=120), optimizers=(optimizer, still)
    )
    losses, compute = [], made.compute_loss

    def recorded(model, inputs, **keywords):
        loss = compute(model, inputs, **keywords)
        losses.append(loss.item())
        return loss

    made.compute_loss = recorded
    return made, losses


@pytest.fixture
def fairseq_train(folder, command, tmp_path):
    """A function that runs fairseq-train and returns the losses of its updates."""
    recorder = tmp_path / "recording_user_dir"
    recorder.mkdir()
    (recorder / "__init__.py").write_text(RECORDER)
    return partial(run_fairseq_train, command, recorder, folder, tmp_path / "fairseq")


def run_fairseq_train(command, recorder, folder, out, *extra):
    sizes = (
        "--encoder-layers", 2, "--encoder-embed-dim", 16, "--encoder-ffn-embed-dim", 32,
        "--encoder-attention-heads", 2, "--max-positions", 64,
    )  # fmt: skip
    command(
        "fairseq-train", folder / "data-bin", "--user-dir", recorder, "--task", "xalign_pretraining",
        "--criterion", "xlm_align", "--arch", "xalign_tiny", *sizes,
        "--init-checkpoint", folder / "start.pt", "--optimizer", "xalign_adamw", "--lr", LR, "--lr-scheduler", "fixed",
        "--clip-norm", 1.0, "--max-tokens", 120, "--mono-batch-size", 2, "--mono-tokens-per-sample", 16, "--seed", SEED,
        "--max-update", UPDATES, "--disable-validation", "--no-save", "--save-dir", out, "--cpu", "--num-workers", 0,
        "--dwa-label-layer", 1, *extra,
    )  # fmt: skip
    return [float(line) for line in (recorder / "losses").read_text().splitlines()]


@pytest.mark.slow  # trains
def test_losses_are_those_of_fairseq_train(folder, fairseq_train, tmp_path):
    theirs = fairseq_train("--tlm-weight", 0.5)
    ours, losses = trainer(folder, tmp_path / "ours")
    ours.train()
    assert len(theirs) == len(losses) == UPDATES
    worst = max(abs(one - other) for one, other in zip(losses, theirs, strict=True))
    print(f"largest difference of {UPDATES} losses: {worst:.1e}; from {losses[0]:.4f} to {losses[-1]:.4f}")
    assert worst < 1e-6 and losses[-1] < losses[0] - 0.02


@pytest.mark.slow  # trains
def test_accumulated_gradients_are_those_of_fairseq_train(folder, fairseq_train, tmp_path):
    options = ("--update-freq", 2, "--loss-normalization", "per-objective", "--objectives", "mlm,tlm,dwa")
    fairseq_losses = fairseq_train(*options, "--max-update", 10)
    chosen = (MLM(), TLM(), DWA(label_layer=1))
    ours, losses = trainer(folder, tmp_path / "ours", 10, chosen, "per-objective", gradient_accumulation_steps=2)
    ours.train()
    # fairseq divides the gradient by the number of micro-batches and logs the undivided loss.
    assert losses == pytest.approx([loss / 2 for loss in fairseq_losses], abs=1e-6)


def test_a_transformers_that_would_divide_them_again_is_refused(folder, tmp_path, monkeypatch):
    monkeypatch.delattr(Trainer, "loss_is_scaled_for_ga")
    with pytest.raises(XalignError, match=r"accumulated gradients[\s\S]*transformers>=5\.19"):
        trainer(folder, tmp_path)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_a_resumed_run_continues_like_an_uninterrupted_one(folder, tmp_path, dropout):
    whole, expected = trainer(folder, tmp_path / "whole", 20, dropout=dropout)
    whole.train()
    first, _ = trainer(folder, tmp_path / "cut", 10, dropout=dropout)
    first.train()
    second, losses = trainer(folder, tmp_path / "cut", 20, dropout=dropout)
    second.train(resume_from_checkpoint=True)
    assert losses == pytest.approx(expected[10:], abs=1e-12)


def test_activations_that_are_computed_again_change_no_loss(folder, tmp_path):
    whole, expected = trainer(folder, tmp_path / "whole", 5, dropout=0.1)
    whole.train()
    again, losses = trainer(folder, tmp_path / "again", 5, dropout=0.1, gradient_checkpointing=True)
    again.train()
    assert all(layer.checkpoint_activations for layer in again.alignment.encoder.sentence_encoder.layers)
    assert losses == pytest.approx(expected, abs=1e-12)
    with pytest.raises(XalignError, match=r"checkpointing is not supported here[\s\S]*offload"):
        again.alignment.activation_checkpointing_enable(activation_checkpointing_kwargs=None, offload=True)


def test_a_finished_run_started_again_makes_no_further_update(folder, tmp_path):
    first, _ = trainer(folder, tmp_path / "run", 10)
    first.train()
    again, losses = trainer(folder, tmp_path / "run", 10)
    again.train(resume_from_checkpoint=True)
    assert losses == [] and again.state.global_step == 10
    for name, value in first.alignment.state_dict().items():
        assert torch.equal(again.alignment.state_dict()[name], value), name


def test_saving_a_model_keeps_other_files_in_its_folder(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "own")
    specials = [Piece("<unk>", 0.0, UNKNOWN), Piece("<s>", 0.0, CONTROL), Piece("</s>", 0.0, CONTROL)]
    pieces = make_unigram([*specials, *(Piece(f"w{number}", -1.0) for number in range(SYMBOLS))], b"")
    write_model(own / "data-bin", pieces)  # an export needs a tokenizer
    made, _ = trainer(own, tmp_path / "run", 1)
    made.train()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")}
    assert tmp_path / "run/checkpoint-1/optimizer.pt" in before
    for _ in range(2):
        made.save_model()
        assert before.items() <= {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")}.items()
        assert AutoModel.from_pretrained(tmp_path / "run").config.num_hidden_layers == CONFIG.encoder_layers


def test_validation_is_over_all_predictions(folder, tmp_path):
    made, _ = trainer(folder, tmp_path / "run", 1)
    found = made.evaluate()
    model = made.alignment.eval()
    each = [model(batch) for batch in made.eval_batches]
    whole = sum(one.total.item() for one in each) / sum(one.count.item() for one in each)
    assert found["eval_loss"] == pytest.approx(whole) and found["eval_tlm_loss"] > 0
    # several by name, in the form of transformers' Trainer
    made.eval_batches = {"a": made.eval_batches, "b": made.eval_batches}
    assert {name: made.evaluate()[f"eval_{name}_loss"] for name in "ab"} == {
        "a": pytest.approx(whole),
        "b": pytest.approx(whole),
    }


def test_each_objective_has_its_own_curve_but_no_loss_where_it_predicts_nothing(folder, tmp_path):
    made, _ = trainer(folder, tmp_path / "run", 3, logging_steps=2)
    parts, run = [], made.alignment.forward

    def recorded(batch):
        parts.append(run(batch))
        return parts[-1]

    made.alignment.forward = recorded
    made.train()
    [line] = [row for row in made.state.log_history if "loss" in row]
    for name in ("mlm", "tlm", "dwa"):
        losses = [each.losses[name] for each in parts[:2]]
        mean = sum(each.total.item() for each in losses) / sum(each.count.item() for each in losses)
        assert line[f"{name}_loss"] == pytest.approx(mean)
    nothing = Loss(torch.zeros(()), torch.zeros(()))
    made.alignment.forward = lambda batch: replace(run(batch), losses={"mlm": nothing})
    assert made.evaluate().keys() - {"epoch"} == {"eval_loss"}


def worker(rank):
    """The parameters of one of two processes after five updates."""
    os.environ |= {"WORLD_SIZE": "2", "RANK": str(rank), "LOCAL_RANK": str(rank)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}  # they are already connected
    with tempfile.TemporaryDirectory() as folder:
        made, _ = trainer(prepare(Path(folder)), Path(folder) / "run", 5)
        made.train()
    assert made.args.process_index == rank and made.args.world_size == 2
    return {name: each.detach() for name, each in made.alignment.named_parameters()}


@pytest.mark.slow  # trains
def test_two_processes_of_accelerates_train_as_one_on_all_their_batches(folder, tmp_path):
    workers = run_workers(worker, 2, tmp_path)
    model, data = build(folder)
    optimizer = FoldedAdamW(model.parameters(), lr=LR)
    shares = [Batches(data, model.reader, max_tokens=120, share=(rank, 2)) for rank in (0, 1)]
    for update, both in enumerate(zip(*(islice(share, 5) for share in shares), strict=True)):
        made = []
        for batch in both:
            model.num_updates = update
            made.append(model(batch))
        (sum(each.total for each in made) / sum(each.count for each in made)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    for found in workers:
        for name, value in model.named_parameters():
            torch.testing.assert_close(found[name], value, rtol=1e-8, atol=1e-9)


def test_label_smoothing_is_refused(folder, tmp_path):
    with pytest.raises(XalignError, match="label_smoothing_factor"):
        trainer(folder, tmp_path, label_smoothing_factor=0.1)
