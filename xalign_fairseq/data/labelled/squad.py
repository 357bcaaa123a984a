"""SQuAD's JSON, also used by XQuAD, MLQA and TyDiQA-GoldP."""

import logging
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.json_files import LARGEST_JSON, parse_json
from xalign_fairseq.core.text.lines import require_unicode
from xalign_fairseq.data.labelled.examples import QuestionExample, open_bytes

logger = logging.getLogger(__name__)
# Languages of TyDiQA-GoldP, by the beginning of its question ids.
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


FEW = 0.05  # maximum share of a file's questions that may be skipped


def read_squad(path: StrPath, language: str) -> list[QuestionExample]:
    """Read questions on contexts; in MLQA's ``en-de``, contexts and answers are in ``en``, questions in ``de``.

    Answers without text, as in XTREME's test sets, make a question unlabelled. Answers that are not at their offsets
    are skipped, and so are questions without a remaining answer or with invalid Unicode. The log counts both; more than
    :data:`FEW` such questions are an error.
    """
    with open_bytes(path) as stream:
        content = parse_json(stream.read(LARGEST_JSON + 1), path, whole_characters=False)
    left_out: list[XalignError] = []
    wrong_answers: list[XalignError] = []
    questions: list[QuestionExample] = []
    try:
        paragraphs = (paragraph for article in content["data"] for paragraph in article["paragraphs"])
        for context, question in ((each["context"], question) for each in paragraphs for question in each["qas"]):
            try:
                questions.append(_example(question, context, path, language, wrong_answers))
            except XalignError as error:
                left_out.append(error)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        problem = f"no {error}" if isinstance(error, KeyError) else str(error)
        expected = '{"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers"}]}]}]}'
        raise XalignError("the file is not SQuAD's JSON", where=path, found=problem, expected=expected) from None
    if len(left_out) > FEW * (len(left_out) + len(questions)):
        raise left_out[0]
    if left_out or wrong_answers:
        first = str((wrong_answers or left_out)[0]).replace("\n", ";")
        message = "%s: skipped %d answers that are not at their offsets, and %d questions; the first: %s"
        logger.warning(message, path, len(wrong_answers), len(left_out), first)
    if not questions:
        raise XalignError("the file has no question", where=path)
    return questions


def read_tydiqa(path: StrPath, language: str) -> list[QuestionExample]:
    """Read TyDiQA-GoldP; from a file of all languages, the questions whose ids begin with the language's name.

    Each of XTREME's translated training sets has one language, whatever the ids say.
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
        problem = f"the file has no question of language {language}"
        raise XalignError(problem, where=path, found=", ".join(sorted(names)))
    return kept


def _example(
    question: dict[str, Any], context: str, path: object, language: str, wrong: list[XalignError]
) -> QuestionExample:
    name, text = str(question["id"]), question["question"]
    where = f"{path}, question {ascii(name)[1:-1]}"
    for each in (name, text, context):
        require_unicode(each, where)
    of_context, _, of_question = language.partition("-")
    answers = _answers(question.get("answers", [{"text": ""}]), context, where, wrong)
    return QuestionExample(name, of_context, text, context, answers, of_question or None)


def _answers(answers: Any, context: str, where: str, wrong: list[XalignError]) -> tuple[tuple[str, int], ...] | None:
    """Answers at their offsets; ``None`` if no answer has a text. Faulty answers are added to ``wrong``."""
    if not answers:
        raise XalignError("a question has no answer (SQuAD 2 is not supported)", where=where)
    given = [(each["text"], int(each["answer_start"])) for each in answers if each["text"]]
    found = tuple((text, start) for text, start in given if start >= 0 and context.startswith(text, start))
    for text, start in given:
        if (text, start) not in found:
            at = context.find(text)
            wrong.append(
                XalignError(
                    "an answer is not at its offset in the context",
                    where=where,
                    found=f"{context[max(start, 0) : max(start, 0) + len(text)]!r} at character {start}",
                    expected=repr(text) + (f", which is at {at}" if at >= 0 else ", which is not in the context"),
                )
            )
    if given and not found:
        raise wrong[-1]
    return found or None
