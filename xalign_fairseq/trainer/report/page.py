"""The page of a training run: one file without scripts or external resources, in the reader's light or dark theme."""

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.plots.palette import COLOURS, DARK
from xalign_fairseq.trainer.log_rows import VALID
from xalign_fairseq.trainer.report.charts import duration, line_chart, section, table
from xalign_fairseq.trainer.report.configuration import facts, groups
from xalign_fairseq.trainer.report.trained_run import DataFolder, TrainedRun


def _folder(data: DataFolder) -> str:
    place = f'<p class="note"><code>{escape(str(data.path))}</code></p>'
    if data.manifest is None:
        return place + '<p class="note">It has no manifest, or is not there any more.</p>'
    manifest = data.manifest
    rows = [
        (each["split"], f"{each['src']}-{each['tgt']}", f"{each['pairs']:,} pairs", *_counts(each))
        for each in manifest.get("pairs", [])
    ]
    rows += [
        (each["split"], each["lang"], f"{each['sentences']:,} sentences", *_counts(each))
        for each in manifest.get("mono", [])
    ]
    tokenizer = manifest.get("tokenizer", {})
    facts = [
        (
            "tokenizer",
            f"{tokenizer.get('model')}, {tokenizer.get('symbols')} symbols, digest {tokenizer.get('digest')}",
        ),
        ("manifest", f"sha256 {data.digest}"),
        ("prepared by", f"xalign_fairseq {manifest.get('xalign_fairseq')}"),
    ]
    hashes = [(name, f"{each['bytes']:,}", each["sha256"]) for name, each in manifest.get("files", {}).items()]
    kept = table(("split", "languages", "kept", "dropped", "tokens", "links"), rows)
    files = table(("file", "bytes", "sha256"), hashes)
    return place + kept + table((), facts) + _details(f"{counted(len(hashes), 'file')} with their hashes", files)


def _counts(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    dropped = ", ".join(f"{number:,} {why}" for why, number in entry.get("dropped", {}).items() if number)
    tokens = ", ".join(f"{number:,} {language}" for language, number in entry.get("tokens", {}).items())
    links = entry.get("links") or {}
    return dropped or "none", tokens, f"{links['sure']:,} sure, {links['possible']:,} possible" if links else ""


# Numbers of the log that are not results: counts and positions.
PLACES = ("num_updates", "epoch", "update", "wall", "wpb", "bsz", "ups", "best_loss", "best_aer", "best_score")
SPEED = ("wps", "lr", "gnorm", "clip", "loss_scale", "data_wait", "train_wall", "gb_free")


def report_page(run: TrainedRun, examples: str = "") -> str:
    """The whole page; ``examples`` is HTML of example links."""
    name = run.folder.resolve().name
    parts = [
        f"<header><h1>Training run {escape(name)}</h1><p>{escape(_about(run))}</p></header><main>",
        _tiles(run),
        section("Losses", _losses(run)),
        section("Validation", _charts(_validation(run))),
        section("Example links", examples),
        section("Numbers", _numbers(run)),
        section("Configuration", _configuration(run)),
        section("Data", "".join(map(_folder, run.data))),
        section("Where and when", _sessions(run)),
        section("Warnings", _warnings(run.warnings)),
        section("Other logged values", _details("speed, optimiser, measures of objectives", _charts(_others(run)))),
    ]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>Training run {escape(name)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main>\n<footer>Written by xalign_fairseq {__version__}</footer>\n</body>\n</html>\n"
    )
    return page.encode(errors="replace").decode()  # JSON can hold unpaired surrogates


@cache
def _style() -> str:
    """The style sheet, and the colours of the lines from the palette of all pictures."""
    colours = "".join(
        f".s{number}.line {{ stroke: light-dark({colour}, {DARK[colour]}) }}"
        f"circle.s{number} {{ fill: light-dark({colour}, {DARK[colour]}) }}\n"
        for number, colour in enumerate(COLOURS)
    )
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8") + colours


def _about(run: TrainedRun) -> str:
    task = run.configuration.get("task", {}).get("_name")
    criterion = run.configuration.get("criterion", {})
    objectives = ", ".join(str(criterion.get("objectives") or "").split(","))
    when = run.sessions[0]["begun"].replace("T", " ") if run.sessions else run.times[0]
    known = (task, criterion.get("_name"), objectives and f"objectives {objectives}", when and f"begun {when}")
    return " · ".join(str(each) for each in (*known, run.folder.resolve()) if each)


def _tiles(run: TrainedRun) -> str:
    tiles = []
    most = run.configuration.get("optimization", {}).get("max_update")
    updates = max(row.updates for row in run.rows)
    tiles.append(("updates", f"{updates:,}", f"of {most:,}" if isinstance(most, int) and most else ""))
    if loss := run.series(run.training, "loss"):
        tiles.append(("training loss", f"{loss[-1][1]:.2f}", f"first {loss[0][1]:.2f}"))
    if aer := run.series(VALID, "aer"):
        lowest, at = min((value, updates) for updates, value in aer)
        tiles.append(("lowest AER", f"{100 * lowest:.2f} %", f"at update {at:,}"))
    before, after = run.result.get("before"), run.result.get("aer")
    if isinstance(before, float) and isinstance(after, float):
        tiles.append(("AER of the aligner", f"{100 * after:.2f} %", f"before training {100 * before:.2f} %"))
    if score := run.series(VALID, "score"):
        best, at = max((value, updates) for updates, value in score)
        tiles.append(("best score", f"{best:.2f}", f"in validation, update {at:,}"))
    if run.seconds is not None:
        tiles.append(("duration", duration(run.seconds), ""))
    if run.cost.tokens:
        tiles.append(("tokens", f"{run.cost.tokens:,}", "in the batches of all updates"))
    if speed := [value for _, value in run.series(run.training, "wps")]:
        tiles.append(("tokens per second", f"{sorted(speed)[len(speed) // 2]:,.0f}", "median"))
    cells = (
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}{f'<small>{escape(note)}</small>' * bool(note)}</dd></div>"
        for name, value, note in tiles
    )
    return f'<dl class="tiles">{"".join(cells)}</dl>'


def _losses(run: TrainedRun) -> str:
    names = list(dict.fromkeys(filter(_is_loss, (*run.names(run.training), *run.names(VALID)))))
    if len(names) == 2:  # the sum of a single objective is that objective
        names.remove("loss")
    titles = {name: "loss, all objectives" if name == "loss" else name.removesuffix("_loss") for name in names}
    return _charts({title: _both(run, name) for name, title in titles.items()})


def _both(run: TrainedRun, name: str) -> dict[str, list[tuple[int, float]]]:
    return {"training": run.series(run.training, name), "validation": run.series(VALID, name)}


def _is_loss(name: str) -> bool:
    return name == "loss" or (name.endswith("_loss") and not name.startswith("best_"))


def _validation(run: TrainedRun) -> dict[str, dict[str, list[tuple[int, float]]]]:
    rates = [name for name in run.names(VALID) if name == "aer" or name.startswith("aer_")]
    pairs = rates[:1] if len(rates) == 2 else rates  # the mean of a single pair is that pair
    curves = {name: [(at, 100 * value) for at, value in run.series(VALID, name)] for name in pairs}
    charts = {"AER in % (lower is better)": curves} if curves else {}
    if score := run.series(VALID, "score"):
        charts["score (higher is better)"] = {"score": score}
    return charts


def _others(run: TrainedRun) -> dict[str, dict[str, list[tuple[int, float]]]]:
    shown = set(filter(_is_loss, (*run.names(run.training), *run.names(VALID))))
    shown |= {name for name in run.names(VALID) if name.startswith("aer")} | {"score", *PLACES}
    names = dict.fromkeys([*SPEED, *run.names(run.training), *run.names(VALID)])
    charts = {
        name: {
            "training": run.series(run.training, name),
            "validation": [] if name in SPEED else run.series(VALID, name),
        }
        for name in names
        if name not in shown
    }
    return {name: curves for name, curves in charts.items() if any(curves.values())}


def _charts(charts: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]]) -> str:
    drawn = "".join(line_chart(title, curves) for title, curves in charts.items())
    return f'<div class="charts">{drawn}</div>' if drawn else ""


def _numbers(run: TrainedRun) -> str:
    rows = []
    for kind, title in ((run.training, "training"), (VALID, "validation")):
        for name in run.names(kind):
            if _is_loss(name) or name.startswith("aer") or name == "score":
                points = run.series(kind, name)
                pick = max if name == "score" else min
                best, at = pick((value, updates) for updates, value in points)
                cells = (points[0][1], points[-1][1], best)
                rows.append((title, name, *(f"{cell:.4g}" for cell in cells), f"{at:,}"))
    for language, scores in dict(run.result.get("scores") or {}).items():
        rows += [
            ("test", f"{language} {name}", "", f"{100 * score:.2f}", "", "") for name, score in (scores or {}).items()
        ]
    return table(("", "", "first", "last", "best", "at update"), rows, numbers=4)


def _configuration(run: TrainedRun) -> str:
    command = f"<pre>{escape(run.command)}</pre>" if run.command else ""
    whole = "".join(
        f"<h3>{escape(name)}</h3>{table(('option', 'value'), options)}"
        for name, options in groups(run.configuration).items()
    )
    return table((), facts(run.configuration)) + command + _details("all options, as fairseq had them", whole)


def _sessions(run: TrainedRun) -> str:
    rows = [
        (
            each["begun"].replace("T", " "),
            (each["ended"] or "killed, or it runs").replace("T", " "),
            "" if each["exit"] is None else str(each["exit"]),
            each["machine"],
            each["commit"] or "",
            ", ".join(f"{name} {version}" for name, version in each["versions"].items()),
        )
        for each in run.sessions
    ]
    if rows:
        return table(("begun", "ended", "exit code", "machine", "commit", "versions"), rows)
    shown = ("machine", "commit", "seed", "setting")
    known = [(name, str(each[name])) for each in (run.record, run.result) for name in each if name in shown]
    known += [("GPUs", ", ".join(run.cost.gpus))] if run.cost.gpus else []
    known += [("log", " to ".join(dict.fromkeys(run.times)))] if run.times[0] else []
    return table((), list(dict.fromkeys(known)))


def _warnings(warnings: Sequence[str]) -> str:
    return f'<ul class="warnings">{"".join(f"<li>{escape(each)}</li>" for each in warnings)}</ul>' if warnings else ""


def _details(summary: str, content: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{content}</details>" if content else ""
