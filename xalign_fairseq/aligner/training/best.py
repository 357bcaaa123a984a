"""The best aligner for a bitext, in steps, each done once: gold links, statistics and links, self-training.

Self-training makes an encoder trained on gold links worse, so only an encoder without a link scorer is trained on the
bitext. It learns only from its own links that the combination of encoder and statistics also finds. The aligner
combines the encoders and the statistics.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from statistics import fmean
from typing import Any

from xalign_fairseq.aligner.gold_sets import GoldSet, read_set
from xalign_fairseq.aligner.load import combine, scoring_method
from xalign_fairseq.aligner.options import BEST_BEGUN, BEST_DONE, AlignerOptions, BestAligner, BestParts, FinishedStep
from xalign_fairseq.aligner.run import AlignRun, align_files
from xalign_fairseq.aligner.run_record import model_state
from xalign_fairseq.aligner.training.gold import ENCODER as CHANGED
from xalign_fairseq.aligner.training.gold import ScorerRun, judging_part, train_scorer
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.aligner.training.train import Hear, train_aligner
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write, require_no_colon
from xalign_fairseq.core.installation import require_fairseq
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import resumable_folder
from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.text.pairs import SentencePairs, require_texts
from xalign_fairseq.core.text.segmentation import find_segmenters, segmenter_versions
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder.pretrained.low_rank import NAME, packaged_sets
from xalign_fairseq.links.aer import score
from xalign_fairseq.transport.linking import Linking

STEPS = "steps.json"
HELD_OUT = 5  # every fifth gold pair is held out
ENCODER, GOLD = "encoder", "gold"
Say = Callable[[str], object]


@dataclass(frozen=True)
class BestRun:
    """The data that the steps learn from; every fifth gold pair is held out to evaluate the steps."""

    src: str
    tgt: str
    out: Path
    languages: tuple[str, str]
    golds: Sequence[str] = ()
    model: str = NAME
    updates: int | None = None
    seed: int = 1
    device: str = "auto"
    quiet: bool = False

    @cached_property
    def sets(self) -> list[GoldSet]:
        return [read_set(Path(path)) for path in self.golds]

    @cached_property
    def judges(self) -> list[GoldSet]:
        """The held-out part of each gold set, unless empty."""
        parts = [judging_part(each, HELD_OUT) for each in self.sets]
        return [each for each in parts if each.pairs]

    @property
    def text(self) -> tuple[str, str]:
        """The bitext in words."""
        return str(self.out / "text.src"), str(self.out / "text.tgt")

    def identity(self) -> dict[str, Any]:
        """Everything that determines the result."""
        files = {"src": self.src, "tgt": self.tgt, **{f"gold {at}": path for at, path in enumerate(self.golds, 1)}}
        return {
            "xalign_fairseq": __version__,
            "best": True,
            "model": model_state(self.model),
            "languages": "-".join(self.languages),
            "seed": self.seed,
            "updates": self.updates,
            **{name: text_sha256(path) for name, path in files.items()},
            "segment": segmenter_versions("auto"),
        }


def train_best(run: BestRun, say: Say = print, hear: Hear = lambda line, updates: None) -> BestAligner:
    """Do all steps. The same call continues after the last finished step; a finished folder does not change."""
    require_fairseq()
    require_no_colon(run.out)
    require_texts(run.src, run.tgt)
    SentencePairs(run.src, run.tgt)  # raises if they do not fit
    if run.golds and not run.judges:
        found, expected = " ".join(run.golds), f"{HELD_OUT} pairs in one set"
        raise XalignError("the gold sets are too small", parameter="gold", found=found, expected=expected)
    with resumable_folder(run.out, BEST_BEGUN, run.identity(), "a run of all steps of an aligner"):
        if (run.out / BEST_DONE).is_file():
            return read_json(run.out / BEST_DONE, BestAligner)
        return _Steps(run, say, hear).make()


class _Steps:
    """The steps of a run, and their results."""

    def __init__(self, run: BestRun, say: Say, hear: Hear):
        self._run, self._say, self._hear = run, say, hear
        path = run.out / STEPS
        self._done: dict[str, FinishedStep] = read_json(path, dict[str, FinishedStep]) if path.is_file() else {}
        self._options = AlignerOptions(device=run.device).on_devices()
        self._links, self._changed = run.out / "links.txt", run.out / GOLD / CHANGED
        # Gold that the packaged encoder was trained on must not train or evaluate aligners that contain it.
        self._method = scoring_method(run.model, Linking(), maps=False)
        self._seen = packaged_sets() if self._method == "scored" else set()
        self._new = [path for path, each in zip(run.golds, run.sets, strict=True) if each.digest not in self._seen]
        self._statistics = Path(f"{self._links}.aligner")

    def make(self) -> BestAligner:
        """Do the missing steps; returns the parts of the aligner."""
        run = self._run
        parts = BestParts(run.model, self._method)
        if self._new:
            learned = parts._replace(encoder=str(self._changed), method="scored")
            what = "the encoder and its link scorer, trained by the gold"
            parts = self._step(GOLD, what, self._learn, parts, learned)
        counted = parts._replace(statistics=self._statistics)
        what = "links by the encoder and statistics that it guides"
        parts = self._step("links", what, partial(self._align, parts.encoder), parts, counted)
        if parts.method == "grow":
            both = parts._replace(trained=str(run.out / ENCODER))
            parts = self._step("encoder", "self-training, checked by these links", self._train, parts, both)
        found: BestAligner = {
            "encoder": str(Path(run.model).absolute()) if Path(run.model).exists() else run.model,
            "gold": f"{GOLD}/{CHANGED}" if parts.encoder == str(self._changed) else "",
            "method": parts.method,
            "trained": ENCODER if parts.trained else "",
            "statistics": self._statistics.name if parts.statistics else "",
            "steps": self._done,
        }
        write_json(run.out / BEST_DONE, found)
        return found

    def _step(self, name: str, what: str, work: Callable[[], object], before: BestParts, after: BestParts) -> BestParts:
        """Do a step unless it is already done; returns the parts to continue with."""
        if name in self._done:
            self._say(f"{name}: done before ({what})")
        else:
            self._say(f"{name}: {what}")
            begin = _cpu_seconds()
            work()
            spent = round(_cpu_seconds() - begin, 1)
            aers = self._judge(before, after)
            used = aers is None or aers[1] <= aers[0]
            first, second = aers or (None, None)
            self._done[name] = FinishedStep(done=what, cpu_seconds=spent, before=first, aer=second, used=used)
            write_json(self._run.out / STEPS, self._done)
        return after if self._done[name]["used"] else before

    def _judge(self, before: BestParts, after: BestParts) -> tuple[float, float] | None:
        """The mean AER on held-out gold without and with a step; statistics only for gold of their languages."""
        found = []
        for each in self._run.judges:
            own = each.languages == self._run.languages
            pair = [parts if own else parts._replace(statistics=None) for parts in (before, after)]
            if each.digest not in self._seen and pair[0] != pair[1]:
                found.append([self._aer(parts, each) for parts in pair])
        return (fmean(row[0] for row in found), fmean(row[1] for row in found)) if found else None

    def _aer(self, parts: BestParts, judge: GoldSet) -> float:
        with combine(parts, self._options) as aligner:
            return score([pair.links for pair in aligner.stream(judge.pairs)], judge.golds).aer

    def _align(self, encoder: str) -> None:
        run = self._run
        src, tgt = run.text
        with atomic_write(src) as src_words, atomic_write(tgt) as tgt_words:
            for pair in SentencePairs(run.src, run.tgt, find_segmenters("auto")):
                src_words.write(" ".join(pair[0]) + "\n")
                tgt_words.write(" ".join(pair[1]) + "\n")
        resume = Path(f"{self._links}.part").exists()
        options = AlignerOptions(device=run.device)
        linked = AlignRun(
            run.text, encoder, options, True, str(self._links), segment="spaces", resume=resume, quiet=run.quiet
        )
        self._say(align_files(linked).summary)

    def _train(self) -> None:
        run = self._run
        training = TrainingRun(
            run.model,
            *run.text,
            (run.out / ENCODER).absolute(),
            run.languages,
            links=str(self._links),
            objectives=("self_training",),
            seed=run.seed,
            device=run.device,
            chosen=frozenset({"objectives"}),
        )
        if run.updates is not None:
            training = replace(training, updates=run.updates, chosen=frozenset({"objectives", "updates"}))
        train_aligner(training, self._say, self._hear)

    def _learn(self) -> None:
        run = self._run
        if not self._changed.is_file():
            golds = ScorerRun(run.model, self._new, self._changed.parent, run.seed, run.device, HELD_OUT, True)
            train_scorer(golds, self._say)


def _cpu_seconds() -> float:
    """CPU seconds of this process and of its finished child processes."""
    return sum(os.times()[:4])
