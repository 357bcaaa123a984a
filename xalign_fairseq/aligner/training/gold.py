"""Train a link scorer, and optionally the encoder, on gold links of several languages at once."""

import copy
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from xalign_fairseq.aligner.gold_sets import GoldSet, read_set
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.run_record import model_state
from xalign_fairseq.aligner.training.low_rank import Changing, mean_of, train_together
from xalign_fairseq.aligner.training.scorer_fitting import Fitting, GoldPair, fit_link_scorer
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.devices import choose_devices
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.encoder.pretrained.low_rank import read_changes, write_low_rank
from xalign_fairseq.encoder.pretrained.reading import open_model, read_pretrained
from xalign_fairseq.encoder.transformer import SentenceEncoder
from xalign_fairseq.transport.layers import layer_range
from xalign_fairseq.transport.link_scorer import LinkScorer, usual_layers
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.pair_features import WordStates
from xalign_fairseq.transport.scored import PACKAGED, load_scorer, save_scorer

SCORER, ENCODER = "scorer.npz", "encoder.npz"
TRAININGS = 3  # encoders to average
SHARED = 0.2  # sets that share more than this part of their sentences count as one


@dataclass(frozen=True)
class ScorerRun:
    """Files ``S-T.gold`` next to their texts ``S-T.S`` and ``S-T.T``; pairs are held out by ``held_out``."""

    model: str
    golds: Sequence[str | os.PathLike[str]]
    out: Path
    seed: int = 1
    device: str = "auto"
    held_out: int = 0
    train_encoder: bool = False

    @property
    def path(self) -> Path:
        """The scorer's file, or the encoder's file with the scorer."""
        return self.out / (ENCODER if self.train_encoder else SCORER)

    def command(self) -> str:
        """The facts to reproduce the scorer; files by name."""
        names = [Path(path).name for path in self.golds]
        options = ["--model", self.model, "--gold", *names, "--seed", str(self.seed)]
        more = ["--train-encoder"] if self.train_encoder else []
        return shlex.join(["xalign", "train-aligner", *options, *more, "--out", self.out.name])


def train_scorer(run: ScorerRun, say: Callable[[str], object] = print) -> dict[str, Any]:
    """Fit a scorer to all gold sets, write it with a record of them, and return the record."""
    if run.path.exists():
        raise XalignError("a link scorer already exists", where=run.path, remedy=("choose another", Parameter("out")))
    sets = [learned_part(read_set(Path(path)), run.held_out) for path in run.golds]
    if sum(len(each.pairs) for each in sets) < 2:
        raise XalignError("a link scorer needs pairs of sentences", parameter="gold", found=len(sets[0].pairs))
    with locked_folder(run.out):  # fail before the work
        return (_train_encoder if run.train_encoder else _train_scorer)(run, sets, say)


def _train_scorer(run: ScorerRun, sets: Sequence[GoldSet], say: Callable[[str], object]) -> dict[str, Any]:
    aligner = Aligner.from_pretrained(run.model, linking=Linking("grow"), device=run.device)
    scorer = _fit_scorer(run, sets, aligner, say)
    record = _record(run, sets, scorer, scorer.parameters())
    save_scorer(scorer, run.path, record)
    return record


def _fit_scorer(run: ScorerRun, sets: Sequence[GoldSet], aligner: Aligner, say: Callable[[str], object]) -> LinkScorer:
    layers, similar = usual_layers(aligner.encoder.config.encoder_layers)
    groups = []
    for members in grouped(sets):
        pairs = [pair for each in members for pair in gold_pairs(aligner, each, layers)]
        groups.append(pairs)
        say(f"{', '.join(each.name for each in members)}: {counted(len(pairs), 'pair')}")
    dim = aligner.encoder.config.encoder_embed_dim
    return fit_link_scorer(groups, lambda: LinkScorer(dim, layers, similar, dropout=0.1), Fitting(seed=run.seed), say)


def _train_encoder(run: ScorerRun, sets: Sequence[GoldSet], say: Callable[[str], object]) -> dict[str, Any]:
    """Train the encoder with its scorer; without a scorer, first fit one."""
    device, dtype = choose_devices(run.device, "auto")
    model = open_model(run.model)
    if not isinstance(model.encoder.sentence_encoder, SentenceEncoder):
        raise XalignError("gold links cannot train an encoder that transformers runs", where=run.model)
    aligner = Aligner(model.encoder.to(device), model.tokenizer, Linking("grow"))
    scorer = load_scorer(PACKAGED)[0] if model.packaged else model.scorer() or _fit_scorer(run, sets, aligner, say)
    changing, trained = Changing(), []
    paths = [run.out / f"training-{number}.npz" for number in range(1, TRAININGS + 1)]
    of_all = {**_record(run, sets, scorer, []), "state": model_state(run.model)}
    for seed, path in enumerate(paths, run.seed):
        identity = {**of_all, "seed": seed}
        if not path.is_file() or read_changes(path)[0] != identity:
            say(f"training {path.stem[-1]} of {TRAININGS}")
            own = copy.deepcopy(scorer)
            found = train_together(aligner, own, sets, seed, getattr(torch, dtype), changing, say)
            write_low_rank(path, found, own.state_dict(), identity)
        trained.append(read_changes(path)[1:])
    changes, state = mean_of(trained, changing.rank)
    parameters = [*scorer.parameters(), *(each for pair in changes.values() for each in pair)]
    record = _record(run, sets, scorer, parameters)
    record["model"] = str(Path(run.model).absolute()) if Path(run.model).exists() else run.model
    write_low_rank(run.path, changes, state, record)
    for path in paths:
        path.unlink()
    return record


def _record(
    run: ScorerRun, sets: Sequence[GoldSet], scorer: LinkScorer, parameters: Iterable[torch.Tensor]
) -> dict[str, Any]:
    times = Counter(each.name for each in sets)  # files in different folders may have the same name
    names = [each.name if times[each.name] == 1 else f"{each.name} {each.digest}" for each in sets]
    return {
        "xalign_fairseq": __version__,
        "model": run.model,
        "family": family_of(read_pretrained(run.model, lookup=True)[0]),
        "layers": layer_range(scorer.layers),
        "parameters": sum(each.numel() for each in parameters),
        "sets": {key: {"pairs": len(each.pairs), "sha256": each.digest} for key, each in zip(names, sets, strict=True)},
        "seed": run.seed,
        "command": run.command(),
        **({"held_out": run.held_out} if run.held_out else {}),
    }


def learned_part(gold_set: GoldSet, held_out: int) -> GoldSet:
    """The pairs of a set that are not held out."""
    return _part(gold_set, [at for at in range(len(gold_set.pairs)) if not held_out or (at + 1) % held_out])


def judging_part(gold_set: GoldSet, held_out: int) -> GoldSet:
    """The pairs of a set that :func:`learned_part` leaves out."""
    return _part(gold_set, range(held_out - 1, len(gold_set.pairs), held_out))


def _part(gold_set: GoldSet, rows: Sequence[int]) -> GoldSet:
    return replace(gold_set, pairs=[gold_set.pairs[at] for at in rows], golds=[gold_set.golds[at] for at in rows])


def grouped(sets: Sequence[GoldSet]) -> list[list[GoldSet]]:
    """The sets, grouped if they share sentences, because a similarity learned from one set is tested on others."""
    groups: list[tuple[set[str], list[GoldSet]]] = []
    for each in sets:
        own = {" ".join(side) for pair in each.pairs for side in pair}
        for sentences, members in groups:
            if len(own & sentences) > SHARED * len(each.pairs):
                members.append(each)
                sentences |= own
                break
        else:
            groups.append((own, [each]))
    return [members for _, members in groups]


@torch.inference_mode()
def gold_pairs(aligner: Aligner, gold_set: GoldSet, layers: Sequence[int]) -> list[GoldPair]:
    """The words of a set's pairs with their gold links; pairs with an empty side are left out."""
    found: dict[int, GoldPair] = {}
    for indices, sides in aligner.states_of_words(gold_set.pairs, layers):
        for row, index in enumerate(indices):
            lengths = [len(side) for side in gold_set.pairs[index]]
            src, tgt = (_one(words, row, length) for words, length in zip(sides, lengths, strict=True))
            found[index] = GoldPair(src, tgt, gold_set.golds[index])
    return [found[index] for index in sorted(found)]


def _one(words: WordStates, row: int, length: int) -> WordStates:
    """The words of one sentence, in half precision; a last word without tokens is included."""
    states = words.states.new_zeros(1, length, *words.states.shape[2:], dtype=torch.float16)
    tokens = words.tokens.new_zeros(1, length, dtype=torch.float16)
    width = min(length, words.tokens.shape[1])
    states[0, :width], tokens[0, :width] = words.states[row, :width].half(), words.tokens[row, :width].half()
    return WordStates(states.cpu(), tokens.cpu())
