"""Continue e5-small with one setting and seed, and score it on development gold at intervals.

usage: python train.py DATA_BIN GOLD RUNS SETTING SEED [--every N] [-- fairseq-train option ...]

DATA_BIN: of prepare.sh. GOLD: the folder of gold links. Options after -- are added to the setting's options and to the
name of the run's folder, RUNS/SETTING[,option=value...]-SEED. Each scoring adds a line to dev.jsonl there. Run again to
resume from the last checkpoint; a finished run is kept. If a run was killed during training, its cost is unknown:
null.
"""

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import study

from xalign_fairseq.aligner.gold_sets import GoldSet
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.comparison import Trial, try_linkings
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_copy, atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model
from xalign_fairseq.encoder.pretrained.trimming import untrim
from xalign_fairseq.trainer.checkpoint_repair import LAST, repair_run
from xalign_fairseq.trainer.fairseq_train import encoder_options, flags
from xalign_fairseq.trainer.launch import FairseqTraining, run_training
from xalign_fairseq.trainer.train_record import commit, machine
from xalign_fairseq.transport.linking import Linking

START = "e5-small"
LINKING = Linking("argmax", layers=(7,), similarity="hidden", encoding="separate")
WHOLE = "whole.pt"
COST = "cost.jsonl"
ROW = re.compile(r"\| train_inner \| (\{.*\})\s*$")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("setting", choices=study.SETTINGS)
    parser.add_argument("seed", type=int)
    parser.add_argument("--every", type=int, default=250, help="updates between two scorings (default: 250)")
    own, _, more = " ".join(map(shlex.quote, sys.argv[1:])).partition(" -- ")
    args = parser.parse_args(shlex.split(own))
    extra = shlex.split(more)
    changed = dict(zip(extra[::2], extra[1::2], strict=True))
    options = {**study.COMMON, **study.SETTINGS[args.setting], **changed, "--seed": str(args.seed)}
    name = ",".join([args.setting, *(f"{key.lstrip('-')}={value}" for key, value in changed.items())])
    folder = args.runs / f"{name}-{args.seed}"
    with locked_folder(folder) as lock:
        kind = KINDS.get(args.setting, Run)
        kind(folder, args.data, args.gold, args.every, options, args.setting, args.seed).go_on(lock)


class Run:
    """A training in pieces of ``every`` updates, each followed by a scoring."""

    def __init__(
        self, folder: Path, data: Path, gold: Path, every: int, options: study.Options, setting: str, seed: int
    ):
        self.folder, self.data, self.gold, self.every, self.options = folder, data, gold, every, options
        self.updates = int(options["--max-update"])
        self.record = {"setting": setting, "seed": seed, "options": dict(options), "machine": machine(cpu=True)}
        self.curve = folder / "dev.jsonl"

    def go_on(self, lock: int | None = None) -> None:
        """Train and score until all updates are done."""
        self._repair()
        if not self._rows():
            self._begin()
        while (done := self._scored()) < self.updates:
            until = min(done + self.every, self.updates)
            if (updates_of(self.folder / LAST) or 0) < until:
                self._train(until, lock)
            self._score(until, *self._cost(until))
        write_json(self.folder / "result.json", {**self.record, "development": self._rows()})

    def _repair(self) -> None:
        repair_run(self.folder, print)

    def _begin(self) -> None:
        """Plain e5-small, scored with the first run."""
        start = self.folder.parent / "start.json"
        if start.is_file():
            self.curve.write_text(start.read_text())
        else:
            self._score(0, 0.0, 0)
            atomic_copy(self.curve, start)

    def _rows(self) -> list[dict]:
        return rows_of(self.curve)

    def _scored(self) -> int:
        rows = self._rows()
        return rows[-1]["updates"] if rows else 0

    def _train(self, until: int, lock: int | None) -> None:
        """Train up to an update; the schedule is that of the whole run."""
        command, begun = self._command(until), updates_of(self.folder / LAST) or 0
        self.record |= {"command": shlex.join(["fairseq-train", *command]), "commit": commit(Path(__file__))}
        write_json(self.folder / "run.json", self.record)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows: list[str] = []
        self._run(command, rows.append, lock)
        words = sum(50 * float(json.loads(found[1])["wpb"]) for found in map(ROW.search, rows) if found)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cost = {"from": begun, "updates": until, "cpu_seconds": round(seconds, 1), "tokens": round(words)}
        add_row(self.folder / COST, cost)

    def _command(self, until: int) -> list[str]:
        config = checkpoint.load_encoder(*read_pretrained(self.data))[0].config
        line = flags(
            {
                **encoder_options(config.as_options(), self._start()),
                **self.options,
                "--total-num-update": self.updates,
                "--max-update": until,
                "--cpu": True,
                "--disable-validation": True,
                "--no-epoch-checkpoints": True,
                "--num-workers": 0,
                "--save-dir": self.folder,
                "--log-format": "json",
                "--log-interval": 50,
            }
        )
        return [str(self.data), *line]

    def _run(self, command: list[str], hear: Callable[[str], object], lock: int | None) -> None:
        run_training(FairseqTraining(command, self.folder, lock=lock), hear)

    def _start(self) -> Path:
        """The checkpoint to start from: the trimmed encoder, with the MLM head of the first run if needed."""
        if not study.predicts(self.options):
            return self.data
        head = self.folder.parent / study.HEAD
        if not (head / "result.json").is_file():
            raise XalignError(
                "the MLM head is not trained yet", where=head, remedy=f"train.py {self.data} GOLD {head.parent} head 1"
            )
        return head / LAST

    def _cost(self, until: int) -> tuple[float, int] | tuple[None, None]:
        """CPU seconds and tokens of all pieces so far; None if a piece was killed before its cost was recorded."""
        seconds, tokens, at = 0.0, 0, 0
        for row in rows_of(self.folder / COST):
            if row["from"] == at and at < until:
                seconds, tokens, at = seconds + row["cpu_seconds"], tokens + row["tokens"], row["updates"]
        return (seconds, tokens) if at == until else (None, None)

    def _score(self, updates: int, seconds: float | None, tokens: int | None) -> None:
        """Add a line to the curve: AER of every link setting on every development set."""
        whole = whole_model(self.folder, self.folder / WHOLE) if updates else START
        started = time.thread_time()
        names = list(study.DEVELOPMENT)
        read = trials(whole, self.record["setting"], study.gold_pairs(self.gold, names), study.line_settings())
        found = {study.setting_name(trial.linking): study.scores(trial, names, study.DEVELOPMENT) for trial in read}
        cost = {"cpu_seconds": None if seconds is None else round(seconds), "tokens": tokens}
        add_row(self.curve, {"updates": updates, **cost, "aer": found})
        best = min(found, key=lambda each: found[each]["mean"])
        print(
            f"{self.folder.name} {updates}: argmax-separate-7 {found['argmax-separate-7']['mean']}, "
            f"best {best} {found[best]['mean']}; {cost['cpu_seconds']} s, scoring {time.thread_time() - started:.0f} s",
            flush=True,
        )
        (self.folder / WHOLE).unlink(missing_ok=True)


class ClosedForm(Run):
    """Maps by Procrustes from all links at once: a single step, whose checkpoint counts no updates."""

    def _repair(self) -> None:
        pass

    def _command(self, until: int) -> list[str]:
        options = ("--model", self.data, "--data", self.data, "--out", self.folder / LAST)
        return ["procrustes", "--overwrite", *map(str, options)]

    def _run(self, command: list[str], hear: Callable[[str], object], lock: int | None) -> None:
        subprocess.run(
            [sys.executable, "-m", "xalign_fairseq", *command], check=True, pass_fds=[] if lock is None else [lock]
        )


KINDS = {"procrustes": ClosedForm}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON lines file, or none if there is no file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def add_row(path: Path, row: Mapping[str, Any]) -> None:
    """Append a line atomically."""
    before = path.read_text() if path.is_file() else ""
    with atomic_write(path) as out:
        out.write(f"{before}{json.dumps(row)}\n")


def trials(model: str, setting: str, sets: list[GoldSet], links: list[Linking]) -> list[Trial]:
    """Every link setting on every set; a setting with maps uses the maps of each set's languages."""
    if setting not in study.MAPPED or model == START:
        return try_linkings(Aligner.from_pretrained(model, linking=LINKING), sets, links)
    links = [each for each in links if each.encoding == "separate"]
    of_sets = []
    for each in sets:
        languages = tuple(each.name.rsplit("/", 1)[1].split("-"))
        there = languages in study.PAIRS  # XL-WA's other languages have no map
        aligner = Aligner.from_pretrained(model, maps=there, languages=languages, linking=LINKING)
        of_sets.append(try_linkings(aligner, [each], links))
    columns = zip(*of_sets, strict=True)
    return [Trial(own[0].linking, tuple(part for trial in own for part in trial.parts)) for own in columns]


def whole_model(run: Path, out: Path) -> str:
    """The path of a run's last checkpoint with the full vocabulary, which text in other languages needs, or a name."""
    if not (run / LAST).exists():  # setting "none"
        return START
    with new_model(out, overwrite=True) as save:
        state, where = read_pretrained(run / LAST)
        save(untrim(state, where, *read_pretrained(START)), where)
    return str(out)


if __name__ == "__main__":
    os.nice(max(0, 19 - os.nice(0)))
    main()
