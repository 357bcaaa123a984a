from tests.examples.recipes import load

study, train, guide, tables, papers, report, score_test = load(
    "xlm_align/continued", "study", "train", "guide", "tables", "papers", "report", "score_test"
)


def counts_of(hits):
    """Test sets of four sentence pairs with four sure links each, of which a given number is found."""
    return {name: [[hits, hits, 4, 4]] * 4 for name in study.TEST}


def record(setting, seed, test, change=None, lowest=20.0):
    options = {**study.COMMON, **study.SETTINGS[setting], **(change or {}), "--seed": str(seed)}
    updates = int(options["--max-update"])
    row = {"updates": updates, "cpu_seconds": 60, "aer": {tables.USUAL: {"mean": lowest + 1}, "x": {"mean": lowest}}}
    return {
        "setting": setting,
        "seed": seed,
        "options": options,
        "development": [row],
        "test": test and {"test": {"mean": test}},
    }
