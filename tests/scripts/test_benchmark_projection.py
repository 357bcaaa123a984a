import json


def test_rules_of_others_place_spans_of_worked_examples(script):
    rules = script("benchmark_projection")
    words = ["der", "alte", ",", "Mann", "geht", "heute", "noch", "fort"]
    linked = {"a": [0, 1, 3, 7], "b": [2], "c": [3, 4], "d": [], "e": [5]}
    assert rules.first_to_last(linked, words) == {
        "a": range(0, 8),
        "b": range(2, 3),
        "c": range(3, 5),
        "e": range(5, 6),
    }
    # the gap from 3 to 7 divides a; b is a mark; c overlaps a, which is longer
    assert rules.easy_label_projection(linked, words) == {"a": range(0, 4), "e": range(5, 6)}
    assert [*rules.groups_of([0, 2, 5, 6])] == [[0, 2], [5, 6]]


def test_spans_are_placed_by_links(script):
    rules = script("benchmark_projection")
    line = {"text": "a big house", "translation": "ein großes Haus .", "spans": [[2, 11, "x"]], "gold": {"x": [4, 15]}}
    links = {
        "src": ["a", "big", "house"],
        "tgt": ["ein", "großes", "Haus", "."],
        "links": [[0, 0, 1], [1, 1, 1], [2, 3, 1]],
    }
    for rule, expected in zip(rules.RULES.values(), ([[4, 10, "x"]], [[4, 17, "x"]]), strict=True):
        [placed] = rules.placed_by(rule, [json.dumps(line)], [json.dumps(links)])
        assert json.loads(placed)["translation_spans"] == expected
    assert rules.score_spans([placed]) == {"spans": 1, "placed": 1, "exact": 1, "f1": 1}
