import json

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.squad import read_squad, read_tydiqa

CONTEXT = "Die 😀 Panthers gaben nur 308 Punkte, 308!"


def question(name, *answers, text="Wie viele?"):
    return {"id": name, "question": text, "answers": [{"text": t, "answer_start": s} for t, s in answers]}


def squad(*questions, context=CONTEXT):
    return json.dumps(
        {"version": "1", "data": [{"title": "x", "paragraphs": [{"context": context, "qas": questions}]}]}
    )


@pytest.mark.parametrize("name", ["xquad.de.json", "xquad.de.json.gz"])
def test_answers_are_at_their_characters(write, name):
    path = write(name, squad(question("q1", ("308", 25), ("308 Punkte", 25)), question("q2", ("308!", 37))))
    first, second = read_squad(path, "de")
    assert (first.id, first.language, first.question, first.context) == ("q1", "de", "Wie viele?", CONTEXT)
    assert first.answers == (("308", 25), ("308 Punkte", 25))
    assert second.answers == (("308!", 37),)


def test_answers_without_text_are_none(write):
    bare = {"id": "q2", "question": "?"}
    examples = read_squad(write("x.json", squad(question("q1", ("", 0)), bare)), "de")
    assert [each.answers for each in examples] == [None, None]


@pytest.mark.parametrize(
    "answer, found, expected",
    [
        (("308", 24), "' 30' at character 24", "'308', which is at 25"),
        (("308", -4), "at character -4", "which is at 25"),
        (("309", 25), "'308' at character 25", "not in the context"),
        (("308!", 39), "'8!'", "which is at 37"),
    ],
)
def test_an_answer_that_is_elsewhere(write, answer, found, expected):
    path = write("bad.json", squad(question("fine", ("Die", 0)), question("q-7", answer)))
    with pytest.raises(XalignError) as error:
        read_squad(path, "de")
    for message in ["is not at its offset", str(path), "question q-7", found, expected]:
        assert message in str(error.value)


def test_tydiqa_in_one_file_and_in_one_for_each_language(write):
    both = squad(question("english-1-0", ("308", 25)), question("arabic--2-1", ("308", 25)))
    one_file = write("tydiqa-goldp-v1.1-dev.json", both)
    assert [each.id for each in read_tydiqa(one_file, "ar")] == ["arabic--2-1"]
    assert [each.id for each in read_tydiqa(one_file, "en")] == ["english-1-0"]
    with pytest.raises(XalignError, match=r"(?s)no question of language fi.*arabic, english"):
        read_tydiqa(one_file, "fi")
    plain = write("tydiqa.goldp.ko.train.json", squad(question("0", ("308", 25)), question("1", ("Die", 0))))
    assert [each.id for each in read_tydiqa(plain, "ko")] == ["0", "1"]
    with pytest.raises(XalignError, match="no question of language ru"):
        read_tydiqa(write("x.json", squad(question("english-1-0", ("308", 25)))), "ru")


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not SQuAD's JSON"),
        ('{"data": [{"paragraphs": [{"qas": [{"id": 1}]}]}]}', "no 'context'"),
        ('{"data": []}', "no question"),
        (squad(question("q1", ("308", 25))).replace("25", "Infinity"), "not SQuAD's JSON"),
        (b'{"data": "\xff"}', "not JSON"),
    ],
)
def test_malformed_files(write, text, message):
    path = write("bad.json", text)
    with pytest.raises(XalignError, match=message) as error:
        read_squad(path, "en")
    assert str(path) in str(error.value)


def test_few_wrong_questions_are_left_out_and_counted(write, caplog):
    """One answer of a published file is elsewhere; files with many such questions are refused."""
    right = [question(f"q{k}", ("308", 25)) for k in range(60)]
    wrong = [question("bad", ("309", 25)), question("half", ("308", 25), text="\ud83d?"), question("none")]
    for added, left in (
        (wrong[:1], "1 answers that are not at their offsets, and 1 questions"),
        (wrong[1:], "0 answers that are not at their offsets, and 2 questions"),
        ([question("both", ("308", 25), ("Die", 9))], "1 answers"),
    ):
        caplog.clear()
        found = read_squad(write("x.json", squad(*right, *added)), "de")
        assert len(found) == 60 + (left == "1 answers") and left in caplog.text and added[0]["id"] in caplog.text
    assert found[-1].answers == (("308", 25),)
    with pytest.raises(XalignError, match="question bad"):
        read_squad(write("x.json", squad(*right[:30], *wrong[:2])), "de")
