"""A description of a batch, to find its text."""

from collections.abc import Mapping
from typing import Any

from xalign_fairseq.data.samples import BOS, PAD

LONGEST = 160  # characters of a text in a message


def told(sample: Mapping[str, Any], task: Any) -> str:
    """The description: numbers of pairs and blocks, languages, epoch, and the beginning of the first of each."""
    parts, epoch = [], task.datasets["train"].now
    for stream, noun in (("bitext", "pairs"), ("mono", "blocks")):
        batch = sample.get(stream)
        if batch is None:
            continue
        tokens = batch["tokens"] if "tokens" in batch else batch["masked"]
        languages = sorted({task.all_languages[each] for each in batch["langs"].flatten().tolist()})
        text = " ".join(_symbol(task.dictionary, each) for each in tokens[0].tolist() if each not in (BOS, PAD))
        parts.append(f'{len(tokens)} {noun} of {", ".join(languages)} in epoch {epoch}, the first: "{text[:LONGEST]}"')
    return " and ".join(parts)


def _symbol(dictionary: Any, token: int) -> str:
    return dictionary.symbols[token] if token < len(dictionary.symbols) else "<mask>"
