"""Alignments as one self-contained HTML page, written pair by pair."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from zlib import crc32

from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.aligner.render.matrix import gaps, looks, markup
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.version import __version__
from xalign_fairseq.links.pharaoh import Gold, format_links

Labels = tuple[Sequence[tuple[range, str]], Sequence[tuple[range, str]]]  # of source and target words
KEY = {"link": "link", "extra": "link that is not gold", "missing": "sure gold link that is missing"}


@dataclass(frozen=True)
class Page:
    """A page that shows a word's links and their probabilities; with ``golds``, errors are marked."""

    golds: Sequence[Gold] | None = None
    languages: tuple[str, str] | None = None
    system: str = ""

    def begin(self) -> str:
        """The head of the page: style, script, legend."""
        style, script = _asset("page.css"), _asset("page.js")
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_digest(script)}'"
        key = "" if self.golds is None else _key()
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>Word alignment</title>
<style>{style}</style>
<script>{script}</script>
</head>
<body>
<header>
<h1>Word alignment</h1>
<button type="button">Theme: auto</button>
<p>Point at or tap a word to see its links and their probabilities. Keyboard: Tab moves to the next \
sentence, the arrow keys move to the next word or to a linked word, Escape leaves. Words without a link are \
grey.</p>
{key}</header>
<main>
"""

    def line(self, alignment: Alignment, number: int, labels: Labels = ((), ())) -> str:
        """One pair as an ``<article>`` whose id is its number; labels are colours under the words."""
        gold = None if self.golds is None else self.golds[number - 1]
        links = " ".join(f"{i}-{j}={p:.3g}" for (i, j), p in sorted(alignment.links.items()))
        marks = "" if gold is None else f' data-gold="{format_links(gold.sure, gold.possible)}"'
        found = set(alignment.links)
        wrong = set() if gold is None else (found - gold.possible) | (gold.sure - found)
        sides = "".join(
            _side(
                words,
                linked={link[side] for link in alignment.links},
                wrong={link[side] for link in wrong},
                name=("source", "target")[side],
                language=self.languages[side] if self.languages else None,
                labels=labels[side],
            )
            for side, words in enumerate((alignment.src, alignment.tgt))
        )
        return (
            f'<article id="{number}" data-links="{links}"{marks}><h2><a href="#{number}">{number}</a></h2>'
            f'<div><p class="facts">{_facts(alignment, gold)}</p><div class="sides">{sides}</div></div></article>'
        )

    def end(self) -> str:
        """The foot of the page."""
        return f"""</main>
<footer>Written by xalign_fairseq {__version__}{escape(f": {self.system}") if self.system else ""}</footer>
<div id="said" role="status" aria-live="polite"></div>
</body>
</html>
"""


def _side(
    words: Sequence[str],
    *,
    linked: set[int],
    wrong: set[int],
    name: str,
    language: str | None,
    labels: Sequence[tuple[range, str]],
) -> str:
    lang = f' lang="{escape(language)}"' if language else ""
    if not words:
        return f'<p class="empty" aria-label="{name}">empty</p>'
    spaces = gaps(words)
    spans = []
    for index, word in enumerate(words):
        classes = ["alone"] * (index not in linked) + ["wrong"] * (index in wrong)
        mark = f' class="{" ".join(classes)}"' if classes else ""
        mark += "".join(_label(label, index == span.start) for span, label in labels if index in span)
        spans.append(f"{spaces[index]}<span{mark}>{markup(word)}</span>")
    line = "".join([*spans, spaces[-1]])
    direction, small = looks(words)
    size = ' class="large"' if small else ""
    return f'<p dir="{direction}"{lang}{size} tabindex="0" role="group" aria-label="{name}">{line}</p>'


def _label(label: str, first: bool) -> str:
    """Attributes of a labelled word: the label's colour and, on its first word, the label's text."""
    shown = f' data-label="{escape(label)}"' if first else ""
    return f' style="--label: {crc32(label.encode()) % 360}"{shown}'


def _facts(alignment: Alignment, gold: Gold | None) -> str:
    links = alignment.links.keys()
    facts = [f"{len(alignment.src)} and {counted(len(alignment.tgt), 'word')}", counted(len(links), "link")]
    if gold is not None:
        extra, missing = len(links - gold.possible), len(gold.sure - links)
        facts += [f"<b>{extra} not gold</b>"] if extra else []
        facts += [f"<b>{missing} missing</b>"] if missing else []
        facts += [] if extra or missing else ["all as gold"]
    return " · ".join(facts)


def _key() -> str:
    line = '<svg aria-hidden="true"><path class="{}" d="M0 4H26"/></svg>'
    return f'<ul class="key">{"".join(f"<li>{line.format(kind)}{text}</li>" for kind, text in KEY.items())}</ul>\n'


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """The hash of the script; the browser runs no other script, whatever the text contains."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
