"""Plain text of a Wikipedia dump: the articles' paragraphs, without markup."""

import html
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import TextIO

SHORTEST = 20  # characters of a paragraph
NESTED = re.compile(r"\{\{[^{}]*\}\}|\{\|(?:[^{}]|\{(?!\|)|(?<!\|)\})*?\|\}", re.DOTALL)  # innermost templates, tables
COMMENTS = re.compile(r"<!--.*?-->|<(ref|math|gallery|timeline|syntaxhighlight|score)\b[^>]*?(/>|>.*?</\1>)", re.DOTALL)
FILES = re.compile(r"\[\[[^\[\]|]*:[^\[\]]*\]\]")  # pictures, categories, other languages
LINKS = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
ADDRESSES = re.compile(r"\[(?:https?:)?//\S+\s*([^\]]*)\]")
TAGS = re.compile(r"<[^<>]+>")
QUOTES = re.compile(r"'{2,}")
NOT_TEXT = ("=", "*", "#", ":", ";", "|", "!", "{", "}", "__")


def paragraphs(dump: TextIO) -> Iterator[str]:
    """The paragraphs of all articles of a dump (XML), an empty line after each article, without redirects."""
    space, title, text = "", "", ""
    for _, element in ElementTree.iterparse(dump):
        tag = element.tag.rpartition("}")[2]
        if tag == "ns":
            space = element.text or ""
        elif tag == "text":
            text = element.text or ""
        elif tag == "redirect":
            title = "redirect"
        elif tag == "page":
            if space == "0" and not title:
                found = list(article(text))
                yield from found
                if found:
                    yield ""
            space = title = text = ""
            element.clear()


def article(markup: str) -> Iterator[str]:
    """The paragraphs of an article's markup, without lists, tables and headings."""
    text = COMMENTS.sub("", markup)
    before = None
    while before != text:
        before, text = text, NESTED.sub("", text)
    text = LINKS.sub(r"\1", FILES.sub("", text))
    text = TAGS.sub("", QUOTES.sub("", ADDRESSES.sub(r"\1", text)))
    for line in html.unescape(text).split("\n"):
        plain = " ".join(line.split())
        if len(plain) >= SHORTEST and not plain.startswith(NOT_TEXT):
            yield plain
