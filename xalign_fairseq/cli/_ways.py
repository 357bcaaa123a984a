"""The output of ``xalign`` alone: the commands in groups, and three examples."""

from collections.abc import Mapping

# Group -> its commands, in the order of use.
GROUPS = {
    "align words": ("align", "score", "layers", "bench", "symmetrize"),
    "use links": ("project", "filter", "dictionary", "phrases"),
    "train": ("train-aligner", "prepare", "links", "lexicon", "objectives", "train", "report"),
    "evaluate encoders": ("retrieve", "alignment-score", "embeddings", "transfer", "predict", "transfer-report"),
    "make data": ("sample", "derive"),
    "convert and change models": ("import-hf", "export-hf", "trim", "untrim", "procrustes"),
    "installation": ("doctor", "user-dir"),
}
OTHERS = "others"
EXAMPLES = (
    "xalign align --src test.en --tgt test.de --out test.links",
    "xalign score --hyp test.links --gold test.gold",
    "xalign train-aligner --src train.en --tgt train.de --out aligner",
)


def overview(summaries: Mapping[str, str]) -> str:
    """The commands in their groups, one line each.

    Args:
        summaries: command -> what it does.
    """
    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, OTHERS: tuple(name for name in summaries if name not in grouped)}
    width = max(map(len, summaries))
    parts = ["Word alignment and cross-lingual training on fairseq."]
    for title, names in groups.items():
        lines = [f"    {name:<{width}}  {summaries[name]}" for name in names if name in summaries]
        if lines:
            parts.append("\n".join([f"{title}:", *lines]))
    parts.append("\n".join(["examples:", *(f"  {line}" for line in EXAMPLES)]))
    parts.append("Run `xalign COMMAND --help` for options and examples.")
    return "\n\n".join(parts)
