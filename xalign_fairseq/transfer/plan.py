"""The remaining runs of a study, and how to make them."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xalign_fairseq.core.devices import visible_gpus
from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.transfer.checkpoints import open_checkpoint
from xalign_fairseq.transfer.grid import build, describe
from xalign_fairseq.transfer.run_spec import RunSpec, is_done, shown_command
from xalign_fairseq.transfer.runs import job, summary, tidy
from xalign_fairseq.transfer.scheduler import run_jobs, share
from xalign_fairseq.transfer.study import Study, check_name, load_study, select, xtreme_study


@dataclass(frozen=True)
class TransferOptions:
    """The plan: models by name, data and options; without ``study`` (a YAML file), XTREME's tasks on ``data``."""

    models: Mapping[str, str]
    out: Path
    study: str | None = None
    data: str | None = None
    tasks: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    jobs: int = 1
    precision: str = "fp32"
    cpu: bool = False
    keep_models: bool = False

    def load_study(self) -> Study:
        """The requested tasks, languages and seeds."""
        if self.study:
            return select(load_study(self.study, self.data), self.tasks, self.languages, self.seeds)
        if not self.data or not self.languages:
            missing = tuple(name for name in ("data", "languages") if not getattr(self, name))
            problem = "without a study, the data and the languages must be given"
            raise XalignError(problem, parameter=("study", *missing), found="neither a study nor these")
        return select(xtreme_study(self.data, self.languages, self.tasks or ()), self.tasks, None, self.seeds)


@dataclass(frozen=True)
class Outcome:
    """A run that has ended: exit code (0: it has scores), log, and the number of remaining runs."""

    name: str
    code: int
    log: Path
    left: int
    scores: str = ""


@dataclass(frozen=True)
class StudyPlan:
    """The checked runs of a study in order; ``done`` has the names of finished runs."""

    options: TransferOptions
    study: Study
    specs: tuple[RunSpec, ...]
    done: frozenset[str]

    def lines(self) -> list[str]:
        """A readable list of the runs."""
        return list(describe(self.study, self.specs, {spec.name: spec.name in self.done for spec in self.specs}))

    def commands(self) -> dict[str, str]:
        """The training command of each run by its name; empty if nothing is trained."""
        return {spec.name: shown_command(spec, spec.folder(self.options.out) / "checkpoints") for spec in self.specs}

    def run(self) -> Iterator[Outcome]:
        """Make the remaining runs, and yield each as it ends; leaving early ends the active ones."""
        options = self.options
        for spec in self.specs:
            if spec.name in self.done:
                tidy(spec.folder(options.out), keep_models=True)  # an earlier command may have kept the tested model
        waiting = {spec.name: spec for spec in self.specs if spec.name not in self.done}
        jobs = [job(spec, options.out, options.keep_models) for spec in waiting.values()]
        for ended in run_jobs(jobs, options.jobs, share(options.jobs, [] if options.cpu else visible_gpus())):
            name = ended.job.name
            result = waiting[name].folder(options.out) / "result.json"
            yield Outcome(name, ended.code, ended.job.log, ended.left, "" if ended.code else summary(read_json(result)))


def make_plan(options: TransferOptions, dry: bool = False) -> StudyPlan:
    """Read the study, the encoders and all data, and check them; a ``dry`` plan writes nothing."""
    check_values("there must be at least one job", ("jobs", options.jobs, options.jobs >= 1, "1 or more"))
    for name in options.models:
        check_name(name, parameter="model")
    study = options.load_study()
    options = replace(options, out=options.out.absolute())
    kept = options.out / "checkpoints"
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch) if dry else kept
        opened = [open_checkpoint(name, path, cache) for name, path in options.models.items()]
        encoders = [replace(each, path=kept / each.path.name) if each.path.parent == cache else each for each in opened]
        specs = build(study, encoders, cpu=options.cpu, precision=options.precision)
    done = frozenset(spec.name for spec in specs if is_done(spec, options.out))
    return StudyPlan(options, study, tuple(specs), done)
