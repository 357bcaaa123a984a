"""The recipe's scripts with other programs in place of those that they start."""

from tests.examples.stand_ins import run_script


def test_a_tokeniser_that_fails_in_the_background_stops_the_script(tmp_path):
    python = """#!/bin/sh
    case "$*" in
      *assemble.py*) mkdir -p "$3" && touch "$3/train.de" "$3/train.en" ;;
      *--tokenized*) cat ;;
      *tokenize_bitext.py\\ de*) exit 1 ;;
    esac
    """.replace("\n    ", "\n")
    gold = tmp_path / "data/gold/simalign-testsets"
    gold.mkdir(parents=True)
    for path in (tmp_path / "data/assemble.py", *(gold / f"de-en.{ending}" for ending in ("de", "en", "gold"))):
        path.touch()
    done = run_script(
        tmp_path,
        "xlm_align/small/1_data.sh",
        tmp_path / "text",
        "de-en",
        instead={"python": python},
        BENCHMARK=str(tmp_path / "data"),
    )
    assert done.returncode == 1 and not done.stdout  # xalign links, the next program, was not started
    assert not (tmp_path / "text/de-en").exists()
