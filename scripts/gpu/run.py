"""Run the stages of a kit on this machine, offline and each with a time limit; a failure does not stop the others.

usage: run.py KIT OUT [STAGE ...] [--seconds N] [--work FOLDER]

Writes OUT/STAGE.json (device, driver, versions, commit, command, start, seconds, status, figures), OUT/STAGE.log, and
the files that a stage returns. A stage's status is passed, failed, timed out or not measured.

A repeated run continues with the stages that have no result yet. A named stage always runs. --seconds limits
the whole run; stages without time left are listed and run next time. Large files are in WORK
(default: /tmp/xalign-gpu-COMMIT). Exit code: 1 if a stage failed or timed out, 2 if the kit or OUT can't be used.
"""

import argparse
import datetime
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bounded
import kit as kits
from stages import INSTALL, STAGES, Stage

HERE = Path(__file__).resolve().parent
PASSED, FAILED, TIMED_OUT, NOT_MEASURED = "passed", "failed", "timed out", "not measured"
TAIL = 40  # lines of the log in the result
MARGIN = 0.85  # share of a stage's time limit for programs with their own limit
RESERVE = 15.0  # seconds of the whole run that are kept for ending


class Runner:
    """The stages of one kit, with results in one folder."""

    def __init__(
        self, kit: Path, out: Path, work: Path | None, seconds: float | None, stages: Sequence[Stage] = STAGES
    ):
        self.manifest = kits.read(kit)
        self.kit, self.out = kit.resolve(), out.resolve()
        self.work = (work or Path(tempfile.gettempdir(), f"xalign-gpu-{self.manifest['commit']}")).resolve()
        self.end = None if seconds is None else time.monotonic() + seconds - RESERVE
        self.stages = {stage.name: stage for stage in stages}
        self.out.mkdir(parents=True, exist_ok=True)
        for path in sorted(self.out.glob("*.json")):
            self._require_same_commit(path)

    def _require_same_commit(self, path: Path) -> None:
        found = json.loads(path.read_text(encoding="utf-8")).get("commit")
        if found != self.manifest["commit"]:
            raise kits.KitError(
                f"{path} is from commit {found}, but the kit is from {self.manifest['commit']}; use another folder"
            )

    def run(self, names: Sequence[str]) -> int:
        """Run the named stages, or all without a result; return 1 if any of the results is bad."""
        unknown = [name for name in names if name not in self.stages]
        if unknown:
            raise kits.KitError(f"unknown stage {', '.join(unknown)}; stages: {', '.join(self.stages)}")
        chosen = names or [name for name in self.stages if not self._done(name)]
        if not (self.work / "env/bin/python").exists() and INSTALL.name in self.stages:
            chosen = [INSTALL.name, *(name for name in chosen if name != INSTALL.name)]
        later = []
        print(f"apex: {look(sys.executable, self._modules())['apex'] or 'missing; no stage needs it'}", flush=True)
        for name in chosen:
            result = self._stage(self.stages[name])
            if result is None:
                later.append(name)
            else:
                print(f"{name}: {result['status']} in {result['seconds']:.0f} s", result.get("reason", ""), flush=True)
        if later:
            print(f"left for the next time: {' '.join(later)}")
        return int(any(self._status(name) in (FAILED, TIMED_OUT) for name in self.stages))

    def _result(self, name: str) -> dict[str, Any]:
        path = self.out / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def _status(self, name: str) -> str | None:
        return self._result(name).get("status")

    def _done(self, name: str) -> bool:
        """Whether a result is final on this machine: a stage cut short by --seconds runs again."""
        result = self._result(name)
        cut = result.get("status") == TIMED_OUT and result["limit"] < self.stages[name].seconds
        return bool(result) and result["status"] != NOT_MEASURED and not cut

    def _stage(self, stage: Stage) -> dict[str, Any] | None:
        """Run a stage and write its result; None if there is no time for it."""
        left = float("inf") if self.end is None else self.end - time.monotonic()
        if left < stage.least:
            return None
        limit = min(stage.seconds, left)
        files = self.work / "stages" / stage.name
        files.mkdir(parents=True, exist_ok=True)
        for path in (path for name in stage.files for path in files.glob(name)):
            path.unlink()
        command = self._command(stage, files, limit)
        result: dict[str, Any] = {"stage": stage.name, "status": NOT_MEASURED, **self._surroundings(stage)}
        result |= {"commit": self.manifest["commit"], "command": " ".join(command), "limit": round(limit)}
        result |= {"start": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "seconds": 0.0}
        reason = self._hindrance(stage, result)
        if reason:
            result["reason"] = reason
        else:
            self._measure(stage, command, limit, files, result)
        _write(self.out / f"{stage.name}.json", result)
        return result

    def _measure(self, stage: Stage, command: list[str], limit: float, files: Path, result: dict[str, Any]) -> None:
        log, begin = self.out / f"{stage.name}.log", time.monotonic()
        code = bounded.run(command, log, limit, self._environment(), files)
        result["seconds"] = round(time.monotonic() - begin, 1)
        result["status"] = TIMED_OUT if code is None else FAILED if code else PASSED
        result["figures"] = self._collect(stage, files)
        lacking = [name for name in stage.files if not any(files.glob(name))]
        if code is None:
            result["reason"] = f"not finished after {limit:.0f} s"
        elif code:
            result["reason"] = f"exit code {code}, see {log.name}"
        elif lacking:
            result |= {"status": FAILED, "reason": f"it did not write {', '.join(lacking)}"}
        result["log"] = log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL:]

    def _collect(self, stage: Stage, files: Path) -> dict[str, Any]:
        """The contents of a stage's JSON files by name; copies its other files to OUT."""
        figures = {}
        for path in sorted(path for name in stage.files for path in files.glob(name)):
            if path.suffix == ".json":
                figures[path.name] = json.loads(path.read_text(encoding="utf-8"))
            else:
                shutil.copy(path, self.out / path.name)
        return figures

    def _command(self, stage: Stage, files: Path, limit: float) -> list[str]:
        names = {
            "python": self.work / "env/bin/python", "machine_python": sys.executable, "source": self.kit / kits.SOURCES,
            "kit": self.kit, "work": self.work, "files": files, "seconds": int(limit * MARGIN),
            "data": self.work / "data", "encoder": self.kit / kits.ENCODER, "minutes": f"{limit * MARGIN / 60:.1f}",
        }  # fmt: skip
        return [part.format(**names) for part in stage.command]

    def _environment(self) -> dict[str, str]:
        """This process's environment, with the new Python first, no network, and the measured commit."""
        environment, env = dict(os.environ), self.work / "env"
        environment.pop("PYTHONPATH", None)  # it may have the sources of another commit
        return environment | {
            "PATH": f"{env / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}", "VIRTUAL_ENV": str(env),
            "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1",
            "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PIP_NO_INDEX": "1",
            "XALIGN_CACHE": str(self.work / "cache"), "XALIGN_COMMIT": self.manifest["commit"],
        }  # fmt: skip

    def _surroundings(self, stage: Stage) -> dict[str, Any]:
        env = self.work / "env/bin/python"
        found = look(str(env) if env.exists() and stage.name != INSTALL.name else sys.executable, self._modules())
        return {**found, "missing": [module for module in stage.modules if module in found["missing"]]}

    def _modules(self) -> tuple[str, ...]:
        return tuple(sorted({module for each in self.stages.values() for module in each.modules}))

    def _hindrance(self, stage: Stage, found: Mapping[str, Any]) -> str | None:
        """The reason why a stage can't be measured here, or None."""
        missing = [part for part in stage.parts if not (self.kit / part).exists()]
        if stage.name != INSTALL.name and INSTALL.name in self.stages and self._status(INSTALL.name) != PASSED:
            return "the stage install has not passed"
        if stage.cuda and found["device"] is None:
            return "there is no CUDA device"
        if found["missing"]:
            return f"not installed: {', '.join(found['missing'])}"
        return f"the kit has no {', '.join(missing)}" if missing else None


@functools.cache
def look(python: str, modules: tuple[str, ...]) -> dict[str, Any]:
    """The output of surroundings.py for an interpreter."""
    command = [python, str(HERE / "surroundings.py"), *modules]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """Write atomically: a run may be killed at any time."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kit", type=Path, help="folder from pack.sh")
    parser.add_argument("out", type=Path, help="folder for the results, new or from an earlier run of this kit")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"of {' '.join(stage.name for stage in STAGES)}")
    parser.add_argument("--seconds", type=float, help="time limit of the whole run")
    parser.add_argument("--work", type=Path, help="folder for the environment and large files")
    args = parser.parse_args()
    return kits.tell(lambda: Runner(args.kit, args.out, args.work, args.seconds).run(args.stages))


if __name__ == "__main__":
    sys.exit(main())
