import numpy as np

from tests.examples.recipes import load

study, claims, report = load("align_mlm", "study", "claims", "report")
WORDS, SENTENCES = 10, 50


def f1_counts(hits, wobble=0):
    """Hits, predicted and gold for sentences of ten entities: F1 is hits / 10, plus ``wobble`` / 500."""
    table = np.full((SENTENCES, 3), WORDS)
    table[:, 0] = hits
    table[:wobble, 0] += 1
    return table


def add(results, name, sup, zs, alignment=0.5, tasks=("pos",), wobble=0, held_out=0.25, **record):
    """Write synthetic results of a run, with ``sup`` and ``zs`` hits among ten entities per sentence."""
    setting, seed = study.split_name(name)
    counts = {}
    for task in tasks:
        for part, hits in ((f"{task}-supervised", sup), (task, zs)):
            counts[f"{part}/xx/f1"] = f1_counts(hits, wobble if part == task else 0)
            counts[f"{part}/xx/accuracy"] = np.stack([f1_counts(hits)[:, 0], np.full(SENTENCES, WORDS)], axis=1)
    score = {"low": 0, "high": 1, "words": 100, "candidates": 100}
    record = {
        "setting": str(setting),
        "seed": seed,
        "command": f"bash 2_train.sh DATA RUNS {name}",
        "commit": "abc",
        "machine": "x CPU",
        "encoder": "2 x 128",
        "updates": 600,
        "tokens": 2_457_600,
        "minutes": 2.5,
        "alignment": {
            "all": {"score": alignment, **score},
            "held out": {"score": held_out, **score},
            "trained": {"score": 1.0, **score},
        },
        **record,
    }
    study.write(study.place(results, name), record, counts)


def rows(text, title):
    """The cells of the table under a heading, without its head."""
    part = text.split(f"## {title}\n\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if "|" in line][2:]
