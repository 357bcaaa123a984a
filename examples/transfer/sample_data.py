#!/usr/bin/env python3
"""Write synthetic archives like those that 0_download.sh fetches, to try the steps. Their scores mean nothing.

usage: sample_data.py DOWNLOADS N NAME ...

NAME: a name in ../common/sources.tsv. Each set has N examples per split and language, in en, de, fr and ru. The words
differ only in their endings between languages, and labels follow from the words.
"""

import argparse
import io
import json
import random
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for common

from common.corpora import files

from xalign_fairseq.core.errors import exit_code

LANGUAGES = {"en": "", "de": "en", "fr": "e", "ru": "а"}
NAMES = {"en": "english", "de": "german", "fr": "french", "ru": "russian"}
TREEBANKS = {
    "en": "UD_English-EWT/en_ewt",
    "de": "UD_German-GSD/de_gsd",
    "fr": "UD_French-GSD/fr_gsd",
    "ru": "UD_Russian-GSD/ru_gsd",
}
ISO3 = {"de": "deu", "fr": "fra", "ru": "rus"}
STEMS = [first + second for first in ("bal", "dor", "fim", "gun", "kel", "mos") for second in ("ta", "ri", "no", "mu")]
LABELS = ("entailment", "neutral", "contradiction")
TAGS = ("NOUN", "VERB", "ADJ")


class Made:
    """Sentences that differ between languages only in the endings of their words."""

    def __init__(self, count: int, split: str):
        drawn = random.Random(split)
        self.sentences = [[drawn.choice(STEMS) for _ in range(drawn.randint(4, 7))] for _ in range(count)]

    def words(self, language: str) -> list[list[str]]:
        """The sentences of a language, as words."""
        return [[stem + LANGUAGES[language] for stem in sentence] for sentence in self.sentences]

    def pairs(self, language: str) -> list[tuple[str, str, int]]:
        """Each sentence with the next one, and a number from 0 to 2 given by its first word."""
        lines = [" ".join(words) for words in self.words(language)]
        kinds = [STEMS.index(sentence[0]) % 3 for sentence in self.sentences]
        return list(zip(lines, [*lines[1:], lines[0]], kinds, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("downloads", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    splits = {split: Made(args.count, split) for split in ("train", "dev", "test")}
    for name in dict.fromkeys(args.names):
        for source in files(name):
            path = source.path(args.downloads)
            made = content(name.split("-")[0], source.name, splits)
            if made is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(made)


def content(kind: str, name: str, splits: Mapping[str, Made]) -> bytes | None:
    """The content of a file; None for a language without sample data."""
    language = next((each for each in LANGUAGES if f".{each}.json" in name or f"en-{each}" in name), "")
    if name.startswith("xtreme_translations"):
        return translated(name, language, splits["train"]) if language else None
    if kind == "Tatoeba":
        side = name.rsplit(".", 1)[1]
        pair = next((each for each, code in ISO3.items() if f".{code}-" in name), None)
        return (
            pair
            and "".join(
                " ".join(words) + "\n" for words in splits["test"].words("en" if side == "eng" else pair)
            ).encode()
        )  # type: ignore[return-value]
    if kind == "XQuAD":
        return squad(splits["test"], [language]) if language else None
    if name.startswith(("squad/", "tydiqa/")):
        split = splits["train" if "train" in name else "dev"]
        return squad(split, ["en"]) if kind == "SQuAD" else squad(split, ["en", "ru"], of_tydiqa=True)
    return packed(name, members(kind, splits))


def members(kind: str, splits: Mapping[str, Made]) -> dict[str, bytes]:
    """The files of an archive by their names in it."""
    found: dict[str, str | bytes] = {}
    for split, made in splits.items():
        if kind == "XNLI" and split != "train":
            head = "language\tgold_label\tsentence1\tsentence2\tpairID\n"
            found[f"XNLI-1.0/xnli.{split}.tsv"] = head + "".join(
                f"{language}\t{LABELS[label]}\t{first}\t{second}\t{number}\n"
                for language in LANGUAGES
                for number, (first, second, label) in enumerate(made.pairs(language))
            )
        for language in LANGUAGES:
            if kind == "XNLI" and split == "train":
                rows = (f"{first}\t{second}\t{LABELS[label]}\n" for first, second, label in made.pairs(language))
                found[f"XNLI-MT-1.0/multinli/multinli.train.{language}.tsv"] = "premise\thypo\tlabel\n" + "".join(rows)
            elif kind == "PAWS":
                file = {"train": "train" if language == "en" else "translated_train"}.get(split, f"{split}_2k")
                rows = (
                    f"{number}\t{first}\t{second}\t{label % 2}\n"
                    for number, (first, second, label) in enumerate(made.pairs(language), 1)
                )
                found[f"x-final/{language}/{file}.tsv"] = "id\tsentence1\tsentence2\tlabel\n" + "".join(rows)
            elif kind == "UD":
                found[f"RELEASE/{TREEBANKS[language]}-ud-{split}.conllu"] = conllu(made.words(language))
            elif kind == "MLQA" and split != "train":
                found[f"MLQA_V1/{split}/{split}-context-{language}-question-{language}.json"] = squad(made, [language])
            elif kind == "MLQA" and language != "en":
                file = f"mlqa-translate-train/{language}_squad-translate-train-train-v1.1.json"
                found[file] = squad(made, [language])
    if kind == "WikiANN":
        for language in LANGUAGES:
            parts = {split: entities(made.words(language), language).encode() for split, made in splits.items()}
            found[f"{language}.tar.gz"] = packed("x.tgz", parts)
    return {name: text if isinstance(text, bytes) else text.encode() for name, text in found.items()}


def packed(name: str, parts: Mapping[str, bytes]) -> bytes:
    """An archive with its files, of the type that its name gives."""
    out = io.BytesIO()
    folder = name.removesuffix(".tgz").removesuffix(".tar.gz").removesuffix(".zip")
    mine = {
        part.replace("RELEASE", folder): text
        for part, text in parts.items()
        if part.split("/")[0] in (folder, "RELEASE") or "/" not in part
    }
    if name.endswith(".zip"):
        with zipfile.ZipFile(out, "w") as archive:
            for part, text in mine.items():
                archive.writestr(part, text)
    else:
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for part, text in mine.items():
                about = tarfile.TarInfo(part)
                about.size = len(text)
                archive.addfile(about, io.BytesIO(text))
    return out.getvalue()


def translated(name: str, language: str, made: Made) -> bytes | None:
    """XTREME's translated training sets: English pair, its translation and label; or SQuAD's JSON."""
    if name.endswith(".json"):
        return squad(made, [language]) if language != "en" else None
    labels = LABELS if "/XNLI/" in name else ("0", "1", "0")
    rows = zip(made.pairs("en"), made.pairs(language), strict=True)
    return "".join("\t".join((*en[:2], *other[:2], labels[en[2]])) + "\n" for en, other in rows).encode()


def squad(made: Made, languages: list[str], of_tydiqa: bool = False) -> bytes:
    """Questions for the word after a given one."""
    data = []
    for language in languages:
        for number, words in enumerate(made.words(language)):
            context = " ".join(words)
            answer = {"text": words[1], "answer_start": len(words[0]) + 1}
            name = f"{NAMES[language]}-{number}" if of_tydiqa else str(number)
            question = {"id": name, "question": words[0], "answers": [answer]}
            data.append({"title": "made up", "paragraphs": [{"context": context, "qas": [question]}]})
    return json.dumps({"version": "1.1", "data": data}, ensure_ascii=False).encode()


def conllu(sentences: list[list[str]]) -> str:
    """Trees in which each word depends on the first one."""
    out = []
    for number, words in enumerate(sentences, 1):
        out.append(f"# sent_id = {number}\n")
        for place, word in enumerate(words, 1):
            tag, head = TAGS[len(word) % 3], "0\troot" if place == 1 else "1\tdep"
            out.append(f"{place}\t{word}\t_\t{tag}\t_\t_\t{head}\t_\t_\n")
        out.append("\n")
    return "".join(out)


def entities(sentences: list[list[str]], language: str) -> str:
    """Words, of which the first is a person."""
    return "".join(
        "".join(f"{language}:{word}\t{'O' if place else 'B-PER'}\n" for place, word in enumerate(words)) + "\n"
        for words in sentences
    )


if __name__ == "__main__":
    sys.exit(exit_code(main))
