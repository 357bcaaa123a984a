"""SQuAD's JSON, as XQuAD, MLQA and TyDiQA-GoldP have it too."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.json_files import parse_json
from xalign_fairseq.data.labelled.examples import QuestionExample
from xalign_fairseq.data.labelled.lines import open_bytes

# Languages of TyDiQA-GoldP, as its question ids begin.
TYDIQA_LANGUAGES = {
    "ar": "arabic",
    "bn": "bengali",
    "en": "english",
    "fi": "finnish",
    "id": "indonesian",
    "ko": "korean",
    "ru": "russian",
    "sw": "swahili",
    "te": "telugu",
}


def read_squad(path: StrPath, language: str) -> list[QuestionExample]:
    """Read questions on contexts; of MLQA's ``en-de`` contexts and answers are in ``en``, questions in ``de``.

    Answers without text, which XTREME puts in place of those of its test sets, make a question unlabelled.
    """
    with open_bytes(path) as stream:
        content = parse_json(stream.read(), path)
    try:
        questions = list(_questions(content["data"], path, language))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        if isinstance(error, XalignError):
            raise
        problem = f"no {error}" if isinstance(error, KeyError) else str(error)
        expected = '{"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers"}]}]}]}'
        raise XalignError("the file is not SQuAD's JSON", where=path, found=problem, expected=expected) from None
    if not questions:
        raise XalignError("the file has no question", where=path)
    return questions


def read_tydiqa(path: StrPath, language: str) -> list[QuestionExample]:
    """Read TyDiQA-GoldP; of a file that holds all languages, the questions whose ids begin with the language's name.

    XTREME's translated training sets are of one language each, whatever the ids of the English questions are.
    """
    questions = read_squad(path, language)
    if Path(path).name.startswith("tydiqa.translate."):
        return questions
    names = {each.id.split("-")[0] for each in questions} & set(TYDIQA_LANGUAGES.values())
    mine = TYDIQA_LANGUAGES.get(language, language)
    if not names:
        return questions  # XTREME's training files, of one language each, have no language in their ids
    kept = [each for each in questions if each.id.split("-")[0] == mine]
    if not kept:
        raise XalignError(
            f"the file has no question of language {language}", where=path, found=", ".join(sorted(names))
        )
    return kept


def _questions(data: Any, path: object, language: str) -> Iterator[QuestionExample]:
    of_context, _, of_question = language.partition("-")
    for article in data:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                name, context = str(question["id"]), paragraph["context"]
                answers = _answers(question.get("answers", [{"text": ""}]), context, f"{path}, question {name}")
                yield QuestionExample(name, of_context, question["question"], context, answers, of_question or None)


def _answers(answers: Any, context: str, where: str) -> tuple[tuple[str, int], ...] | None:
    """Texts and offsets, checked against the context; ``None`` if no answer has a text."""
    if not answers:
        expected = "at least one (unanswerable questions, as SQuAD 2 has them, are not supported)"
        raise XalignError("a question has no answer", where=where, expected=expected)
    found = tuple((each["text"], int(each["answer_start"])) for each in answers if each["text"])
    for text, start in found:
        if start < 0 or not context.startswith(text, start):
            at = context.find(text)
            raise XalignError(
                "an answer does not stand at its offset in the context",
                where=where,
                found=f"{context[max(start, 0) : max(start, 0) + len(text)]!r} at character {start}",
                expected=repr(text) + (f", which stands at {at}" if at >= 0 else ", which is not in the context"),
            )
    return found or None
