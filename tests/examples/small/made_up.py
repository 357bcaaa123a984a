"""Made-up results of the study of small encoders."""

import numpy as np

from tests.examples.recipes import load

study, report, evaluate = load("small", "study", "report", "evaluate")


def items(right, of=100):
    """Counts of items of which the first are right."""
    return np.stack([np.arange(of) < right, np.ones(of)], axis=1)


def links(hits, of=50):
    """Counts of sentences with two links each, both sure and right in the first ``hits`` and wrong elsewhere."""
    right = 2 * (np.arange(of) < hits)
    return np.stack([right, right, np.full(of, 2), np.full(of, 2)], axis=1)


def add(folder, name, hits, right, aligned, **other):
    """Write made-up results of a run, of which all measures of a kind are equal."""
    setting, seed = study.split_name(name)
    counts = {}
    for measure in study.MEASURES:
        kind = hits if measure.startswith("aer") else aligned if measure.startswith("alignment") else right
        counts[measure] = links(kind) if measure.startswith("aer") else items(kind)
    chosen = {"encoding": "joint", "layer": 2, "method": "argmax", "silver_aer": 0.25, "signature": "a|b"}
    record = {
        "name": name,
        "setting": setting,
        "seed": seed,
        "pair": "de-en",
        "command": f"bash 1_train.sh {setting}",
        "commit": "abc",
        "machine": "x CPU",
        "updates": 400 if seed else 0,
        "minutes": 2.5,
        "tokens": 1_500_000 if seed else 0,
        "how": {"aer": chosen},
        **other,
    }
    study.results.write(study.place(folder, name), record, counts)


def rows(text, title):
    """The tables under a heading, by cells."""
    part = text.split(f"## {title}\n\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
