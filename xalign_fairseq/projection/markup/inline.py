"""The pieces of a text with tags (HTML, XML, inline elements of XLIFF and TMX) or placeholders."""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.containers import BREAK, breaks_line
from xalign_fairseq.projection.markup.marked import MarkedText, Token, marked

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
CODE = frozenset({"bpt", "ept", "ph", "it", "ut"})  # their content, code of another format, is part of the tag
SPECIAL = re.compile("[<&]")
TAG = re.compile(r"<(/?)([A-Za-z_:][\w:.-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>")
OTHER = re.compile(  # the last: a timestamp of WebVTT
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![A-Za-z][^<>]*>|<[\d:]+\.\d{3}>", re.DOTALL
)
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
XML_ENTITIES = frozenset({"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>]+))")


@dataclass(frozen=True)
class Dialect:
    """How tags are written.

    ``kind``: a tag's name and attributes to the token's kind and the pair's key. ``strict``: tags without partners are
    left out; each ``<`` and ``&`` begins a tag or entity. ``code``: elements whose content is part of the tag.
    ``plain``: a written name to the tag's name.
    """

    kind: Callable[[str, dict[str, str]], tuple[str, str]]
    strict: bool = False
    code: frozenset[str] = frozenset()
    plain: Callable[[str], str] = str


def _html(name: str, attributes: dict[str, str]) -> tuple[str, str]:
    return ("break" if name in ("br", "hr") else "point" if name in VOID or name in HTML.code else "open"), name


def _bilingual(name: str, attributes: dict[str, str]) -> tuple[str, str]:
    """The inline elements of XLIFF 1.2 and 2.0, and of TMX."""
    number = attributes.get("rid") or attributes.get("i") or attributes.get("startRef") or attributes.get("id", "")
    if name in ("bx", "bpt", "sc", "sm"):
        return "open", f"code {number}"
    if name in ("ex", "ept", "ec", "em"):
        return "close", f"code {number}"
    if name == "it":
        return ("open" if attributes.get("pos") in ("open", "begin") else "close"), ""
    if name in ("x", "ph", "ut", "cp"):
        code = next(filter(None, map(attributes.get, ("equiv-text", "equiv", "disp"))), "")
        breaks = breaks_line(attributes) or BREAK.match(code)
        return ("break" if breaks else "placeholder" if BEGIN.match(code) else "point"), ""
    return "open", name


def local_name(name: str) -> str:
    """An element's name without the prefix of its namespace."""
    return name.rpartition(":")[2]


HTML = Dialect(_html, code=frozenset({"script", "style"}), plain=str.lower)
XML = Dialect(lambda name, attributes: ("open", name), strict=True)
BILINGUAL = Dialect(_bilingual, code=CODE, plain=local_name)


def read_inline(text: str, dialect: Dialect) -> MarkedText:
    return marked(list(_tokens(text, SPECIAL, partial(_token, dialect=dialect))), dialect.strict)


def _tokens(text: str, begin: re.Pattern[str], read: Callable[[str, int], tuple[Token | None, int]]) -> Iterator[Token]:
    """The pieces of a text. ``read`` returns the piece at a position (``None`` for text), and where to continue."""
    start = at = 0
    while match := begin.search(text, at):
        token, at = read(text, match.start())
        if token:
            if start < match.start():
                yield Token(text[start : match.start()], "text")
            yield token
            start = at
    if start < len(text):
        yield Token(text[start:], "text")


def _token(text: str, at: int, dialect: Dialect) -> tuple[Token | None, int]:
    """The tag or entity that begins here, and its end."""
    if text[at] == "&":
        return _entity(text, at, dialect)
    if match := OTHER.match(text, at):
        if dialect is not HTML and match[0].startswith("<![CDATA["):
            raise XalignError("CDATA is not supported", found=match[0][:40])
        return Token(match[0], "comment" if dialect is BILINGUAL else "point"), match.end()
    match = TAG.match(text, at)
    if match is None:
        if dialect.strict or re.match(r"</?[A-Za-z]|<!--", text[at : at + 4]):
            raise XalignError("a tag is not complete", found=text[at : at + 40])
        return None, at + 1
    slash, written, rest = match.groups()
    name, end = dialect.plain(written), match.end()
    kind, key = dialect.kind(name, attributes_of(rest))
    if slash:
        return Token(match[0], "close", key), end
    closing = f"</{written}>"
    if dialect is BILINGUAL and (kind, key) != ("open", name) and text.startswith(closing, end):
        rest, end = "/", end + len(closing)
    if name in dialect.code and not rest.endswith("/"):
        end = _end_of_code(text, end, written)
        if dialect is BILINGUAL and not key and BREAK.match(text, match.end()):
            kind = "break"
        elif dialect is BILINGUAL and kind == "point" and BEGIN.match(text, match.end()):
            kind = "placeholder"
    elif rest.endswith("/") and kind == "open" and (dialect is not BILINGUAL or key == name):
        kind = "break" if name == "br" else "point"
    return Token(text[at:end], kind, key), end


def canonical(tag: str) -> str:
    """The common spelling of equal tags: for a message, its argument and type; for ``%1$s``, the form without a number.

    The case of names does not count, nor TMX's ``i``; with TMX's ``x``, only ``x`` and the type count.
    """
    match = TAG.match(tag)
    if match is None:
        message = MESSAGE.match(tag)
        return f"{{{message[1]}, {message[2]}}}" if message else re.sub(r"^%\d+\$", "%", tag)
    rest, content = match[3].removesuffix("/"), tag[match.end() :].removesuffix(f"</{match[2]}>")
    attributes = {name.lower(): value for name, value in attributes_of(rest).items()}
    if local_name(match[2]) in CODE:
        attributes.pop("i", "")
        if "x" in attributes:
            attributes, content = {name: attributes.get(name, "") for name in ("pos", "type", "x")}, ""
    others = sorted(ATTRIBUTE.sub("", rest).lower().split())
    return f"<{match[1]}{match[2].lower()} {sorted(attributes.items())} {others}>{content}"


def attributes_of(text: str) -> dict[str, str]:
    return {name: "".join(values) for name, *values in ATTRIBUTE.findall(text)}


def _entity(text: str, at: int, dialect: Dialect) -> tuple[Token | None, int]:
    match = ENTITY.match(text, at)
    if match is None:
        if dialect.strict:
            raise XalignError("an entity is not complete", found=text[at : at + 40], expected="&amp; for &")
        return None, at + 1
    known = dialect is HTML or match[0][1] == "#" or match[0] in XML_ENTITIES
    character = html.unescape(match[0]) if known else ""
    if len(character) != 1 or "\ud800" <= character <= "\udfff":
        return Token(match[0], "point"), match.end()
    return Token(match[0], "text", text=character), match.end()


def _end_of_code(text: str, at: int, name: str) -> int:
    """The end of an element with code as content."""
    depth = 1
    while depth:
        match = re.compile(f"<(/?){name}(?![\\w:.-])[^<>]*>", re.IGNORECASE).search(text, at)
        if match is None:
            raise XalignError("a tag is not complete", found=f"<{name}> without </{name}>")
        depth += -1 if match[1] else not match[0].endswith("/>")
        at = match.end()
    return at


CHARACTER = "\ue000"  # a placeholder in both texts
BEGIN = re.compile(r"[$#%]?\{|%")
BRACES = re.compile(  # one pair without a sign: around a name, number or path, and its format
    r"[$#%]\{[^{}]*\}|\{\{+[^{}]*\}\}+|\{\s*[\w$@./\[\]-]*(?:[!:,][^\s{}]*)?\s*\}"
)
MESSAGE = re.compile(r"\{\s*([\w.-]+)\s*,\s*(plural|select|selectordinal|number|date|time)\b")  # of ICU
PERCENT = re.compile(
    r"%(?:\([^()\s]+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|[Lqzjt])?[diouxXeEfFgGcsSaAr@](?![A-Za-z])"
    # before letters: %dMB and %dx%dpx, but not 50%discount or %user%
    r"|(?:(?<![0-9A-Za-z])|(?<=[%$][dsiu])|(?<=[%$][dsiu][A-Za-z]))"
    r"%(?:\([^()\s]+\)|\d+\$)?\d*(?:l*d|[siu@]|\.\d+f)(?!\w*%(?![\w@.]))"
)

NEXT = re.compile(r"^(?:%(?!\d+\$|[({])|\{(?=[}!:]))")  # a placeholder that stands for the next argument


def at_placeholders(text: str) -> list[str]:
    """The text before the first placeholder, this placeholder, the text after it, and so on."""
    parts = [""]
    for token in _tokens(text, BEGIN, _placeholder):
        parts[-1:] = [parts[-1] + token.raw] if token.kind == "text" else [parts[-1], token.raw, ""]
    return parts


def numbered(tags: Sequence[str]) -> Sequence[str]:
    """The placeholders of a text, in its order, with the numbers of their arguments, unless some have numbers."""
    numbers = count(1)
    made = [NEXT.sub(lambda begin: f"{begin[0]}{next(numbers)}{'$' * (begin[0] == '%')}", tag) for tag in tags]
    return made if len({*made}) == len({*zip(made, tags, strict=True)}) else tags


def read_placeholders(text: str, words: Mapping[str, int] | None = None) -> MarkedText:
    """A text and its placeholders; the first ones of each kind, as many as ``words`` says, are characters of the text.

    :class:`XalignError`: a message of ICU is not closed.
    """
    left, tokens = Counter(words), []
    for token in _tokens(text, BEGIN, _placeholder):
        tokens.append(Token(token.raw, "text", text=CHARACTER) if left[token.raw] > 0 else token)
        left[token.raw] -= 1
    return marked(tokens)


def _placeholder(text: str, at: int) -> tuple[Token | None, int]:
    """The placeholder that begins here, and its end."""
    if text[at] == "%" and not text.startswith("%{", at):
        if text.startswith("%%", at):
            return None, at + 2
        found = PERCENT.match(text, at)
    else:
        found = BRACES.match(text, at)
    if found is None and MESSAGE.match(text, at) is None:
        return None, at + 1
    end = found.end() if found else _closing_brace(text, at + 1)
    return Token(text[at:end], "placeholder"), end


def _closing_brace(text: str, at: int) -> int:
    depth = 1
    for brace in re.compile("[{}]").finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    raise XalignError("unclosed brace", found=text[at - 1 : at + 40])
