"""Pages are short and use plain words (docs/style.md). ``python tests/test_words.py`` prints the words of each page."""

import io
import json
import re
import tokenize
from pathlib import Path

import pytest
from support.pages import PAGES

ROOT = Path(__file__).resolve().parents[1]
WORDS = re.compile(
    r"\b(again and again|as (?:it|they) comes?|beside|blanks?|(?<!thing )else|handed on|hangs? on|(?:is|are) told|kin"
    r"|mend(?:ed|s)?|seldom|so many|stands?(?! for|-in)|tells|wants)\b",
    re.IGNORECASE,
)
# Generated text, code blocks, and the targets of links; for the list of words also inline code.
LEFT_OUT = re.compile(r"<!-- \w+:.*?<!-- end -->|<!--.*?-->|```.*?```|^    .*?$|\]\([^)]*\)", re.DOTALL | re.M)
CODE = re.compile(r"`[^`\n]*`")
TABLE = re.compile(r"^\s*\|.*$", re.M)
MOST_WORDS = 27_500
# Words that comments and docstrings of Python files, and all strings of the package, must not contain.
IN_CODE = re.compile(
    r"\b(again and again|as (?:it|they) comes?|(?<!{)beside(?!:)|blanks|broken off|handed on|hangs? on|(?:is|are) told"
    r"|kin|none of|seldom|so many|stands?(?! for|-in| in for))\b"
)


def found(text):
    """The listed words in hand-written text."""
    return [match.group() for match in WORDS.finditer(CODE.sub(" ", LEFT_OUT.sub(" ", text)))]


def sentences(path):
    """The comments and docstrings of a Python file, and all strings of the package (errors, help), by line."""
    package = path.is_relative_to(ROOT / "xalign_fairseq")
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        kind = tokenize.tok_name[token.type]  # from Python 3.12 on, f-strings are FSTRING_MIDDLE
        if kind == "COMMENT" or token.string.startswith(('"""', 'r"""')) or (package and "STRING" in kind):
            yield from enumerate(token.string.split("\n"), token.start[0])


def words(text):
    """The number of hand-written words, without tables."""
    return sum(any(map(str.isalnum, word)) for word in TABLE.sub(" ", LEFT_OUT.sub(" ", text)).split())


def words_of_pages():
    """The words of README, docs and examples by page, most first, without the generated reference and results."""
    counts = {"README.md": words((ROOT / "README.md").read_text(encoding="utf-8"))}
    for path in sorted(path for folder in ("docs", "examples") for path in (ROOT / folder).rglob("*")):
        name = path.relative_to(ROOT)
        text = ""
        if path.suffix == ".md" and "results" not in name.parts and name.parent != Path("docs/reference/cli"):
            text = path.read_text(encoding="utf-8")
        elif path.suffix == ".ipynb":
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        if text:
            counts[str(name)] = words(text)
    return dict(sorted(counts.items(), key=lambda each: -each[1]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_no_word_of_the_list(page):
    name = str(page.relative_to(ROOT))
    text = page.read_text(encoding="utf-8")
    if name == "docs/style.md":  # its left column shows them
        text = re.sub(r"^\| .*? \|", "", text, flags=re.MULTILINE)
    assert not found(text)


@pytest.mark.parametrize("folder", ["xalign_fairseq", "scripts", "examples", "docs", "tests"])
def test_comments_docstrings_and_messages_have_no_word_of_the_list(folder):
    said = [
        (str(path.relative_to(ROOT)), line, match.group())
        for path in sorted((ROOT / folder).rglob("*.py"))
        if IN_CODE.search(path.read_text(encoding="utf-8"))  # parses few files
        for line, text in sentences(path)
        for match in IN_CODE.finditer(text)
    ]
    assert said == []


def test_the_pages_are_short():
    counts = words_of_pages()
    assert {"README.md", "docs/reference/objectives.md", "docs/notebooks/align_look_evaluate.ipynb"} <= set(counts)
    assert sum(counts.values()) <= MOST_WORDS


def test_the_readme_has_900_words_with_its_tables_and_commands():
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)|<img.*?>", " ", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sum(any(map(str.isalnum, word)) for word in text.split()) <= 900


if __name__ == "__main__":
    for page, count in words_of_pages().items():
        print(f"{count:6,} {page}")
    print(f"{sum(words_of_pages().values()):6,} words; at most {MOST_WORDS:,}")
