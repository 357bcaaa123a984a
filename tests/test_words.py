"""Pages use plain words: docs/style.md has the rules."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "user_dir_docs.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(page for page in sorted((ROOT / "examples").rglob("*.md")) if "results" not in page.parts),
]
WORDS = re.compile(
    r"\b(again and again|as (?:it|they) comes?|beside|blanks?|(?<!thing )else|handed on|hangs? on|(?:is|are) told|kin"
    r"|mend(?:ed|s)?|seldom|so many|stands?(?! for|-in)|tells|wants)\b",
    re.IGNORECASE,
)
# Text that scripts write, code, and the targets of links.
LEFT_OUT = re.compile(
    r"<!-- \w+:.*?<!-- end -->|<!--.*?-->|```.*?```|^    .*?$|`[^`\n]*`|\]\([^)]*\)", re.DOTALL | re.M
)


def found(text):
    """The words of the list in what people wrote."""
    return [match.group() for match in WORDS.finditer(LEFT_OUT.sub(" ", text))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_no_word_of_the_list(page):
    name = str(page.relative_to(ROOT))
    text = page.read_text(encoding="utf-8")
    if name == "docs/style.md":  # shows them in its left column
        text = re.sub(r"^\| .*? \|", "", text, flags=re.MULTILINE)
    assert not found(text)


def test_code_and_tables_of_scripts_are_left_out():
    text = "Blanks, nothing else, `else`.\n\n    else\n\n<!-- results:a -->\nkin\n<!-- end -->\n[x](beside.md)\n"
    assert found(text) == ["Blanks"]
