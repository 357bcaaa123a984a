import contextlib
import time

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.markup.inline import BILINGUAL, HTML, XML, read_inline, read_placeholders
from xalign_fairseq.projection.markup.marked import walk

BREAKS = """<x\tctype="lb"/> <x\tctype="x-html-br"/> <x\tequiv-text="&lt;br/>"/> <ph\ttype="lb"/>
<ph\tsubType="xlf:lb"/> <ph>&lt;BR/></ph> <it>&lt;br></it>"""


def kinds(text, dialect):
    """The text, and the marks: pairs as ``<a>..</a>``, single tags as ``<a>..`` and ``..</a>``, breaks as ``<a>|``."""
    read, found = read_inline(text, dialect), []
    for mark in walk(read.marks):
        dots = {"point": "", "break": "|"}.get(mark.kind, "..")
        found.append(f"{mark.opening}{dots}{mark.closing}")
    return read.text, found


@pytest.mark.parametrize(
    ("dialect", "text", "plain", "found"),
    [
        (HTML, "a<BR>b<Em>c</eM>", "a bc", ["<BR>|", "<Em>..</eM>"]),
        (HTML, "<a href='x>y'>1 < 2 & 3</a>", "1 < 2 & 3", ["<a href='x>y'>..</a>"]),
        (HTML, "<o:p>a</O:P><o:script>b<p:br>", "ab", ["<o:p>..</O:P>", "<o:script>..", "<p:br>.."]),
        (BILINGUAL, "<n:bpt id='1'>{</n:bpt>a<n:ept id='1'/>", "a", ["<n:bpt id='1'>{</n:bpt>..<n:ept id='1'/>"]),
        (BILINGUAL, "<n:ph>x<n:ph>z</n:ph></n:ph>a<n:g/>", "a", ["<n:ph>x<n:ph>z</n:ph></n:ph>", "<n:g/>"]),
        (HTML, "<00:01:02.000>a <3 <b>", "a <3 ", ["<00:01:02.000>", "<b>.."]),
        (HTML, "<!-- <b> -->&nbsp;x", "\xa0x", ["<!-- <b> -->"]),
        (XML, "<b/>x<c>&#x41;&lt;</c>&foo;", "xA<", ["<b/>", "<c>..</c>", "&foo;"]),
        (HTML, "<![CDATA[<b>]]>", "", ["<![CDATA[<b>]]>"]),
        (BILINGUAL, '<g id="1">a</g><x id="2"/>', "a", ['<g id="1">..</g>', '<x id="2"/>']),
        (BILINGUAL, '<bpt i="1">&lt;</bpt>a<ept i="1">/b></ept>', "a", ['<bpt i="1">&lt;</bpt>..<ept i="1">/b></ept>']),
        (BILINGUAL, "<ph>x<sub>y<ph>z</ph></sub></ph>a", "a", ["<ph>x<sub>y<ph>z</ph></sub></ph>"]),
        (BILINGUAL, '<bx id="1"/>a<ex id="1"/>', "a", ['<bx id="1"/>..<ex id="1"/>']),
        (BILINGUAL, '<sc id="1"/>a<ec startRef="1"/>', "a", ['<sc id="1"/>..<ec startRef="1"/>']),
        (BILINGUAL, '<pc id="1">a<mrk id="2">b</mrk></pc>', "ab", ['<pc id="1">..</pc>', '<mrk id="2">..</mrk>']),
        (BILINGUAL, '<it pos="begin">x</it>a', "a", ['<it pos="begin">x</it>..']),
        *((BILINGUAL, f"a{each}b", "a b", [f"{each}|"]) for each in BREAKS.replace("\n", " ").split(" ")),
    ],
)
def test_dialects(dialect, text, plain, found):
    assert kinds(text, dialect) == (plain, found)


@pytest.mark.parametrize(("dialect", "text"), [(XML, "a & b"), (XML, "a < b"), (HTML, "a <b"), (BILINGUAL, "<ph>a")])
def test_broken_markup_is_refused(dialect, text):
    with pytest.raises(XalignError, match="is not complete"):
        read_inline(text, dialect)


def test_the_time_grows_with_the_length_of_a_text():
    def seconds(n):
        begun = time.process_time()
        for text in ("<a '" * n, "&#" * n, "< " * n, "<a b='" * n + ">"):
            for dialect in (HTML, BILINGUAL):
                with contextlib.suppress(XalignError):
                    read_inline(text, dialect)
        return time.process_time() - begun

    assert seconds(80_000) < 24 * seconds(10_000)  # not with its square: 64 times


@pytest.mark.parametrize(
    ("text", "plain", "found"),
    [
        ("Hello {0}!", "Hello !", ["{0}"]),
        ("%(name)s has %d files", "has files", ["%(name)s", "%d"]),
        ("%1$s of %2$-5.2f", "of", ["%1$s", "%2$-5.2f"]),
        ("{see note} {b>Important:<b} {} { {a.b[0]}", "{see note} {b>Important:<b} {", ["{}", "{a.b[0]}"]),
        (
            '{"a": "{0!r:.2f}{0,-9:N}{{ a | b }}"} ${a b}',
            '{"a": ""}',
            ["{0!r:.2f}", "{0,-9:N}", "{{ a | b }}", "${a b}"],
        ),
        ("{{user}} paid ${sum} to %@", "paid to", ["{{user}}", "${sum}", "%@"]),
        ("{n, plural, one {# file} other {# files}} left", "left", ["{n, plural, one {# file} other {# files}}"]),
        ("100% sure, 5 %, 10%%dogs, 50%discount", "100% sure, 5 %, 10%%dogs, 50%discount", []),
        ("caf%dx %hello %from %user%, %id%", "caf%dx %hello %from %user%, %id%", []),
        ("%dMB of %5dMB, (%dpx", "MB of MB, (px", ["%d", "%5d", "%d"]),
        ("%s%dh %02dm, %@s", "h m, s", ["%s", "%d", "%02d", "%@"]),
        ("%dx%dpx %dh%um", "xpx hm", ["%d", "%d", "%d", "%u"]),
        ("%1$dMB %(size)sKB %.1fGB %ldB", "MB KB GB B", ["%1$d", "%(size)s", "%.1f", "%ld"]),
    ],
)
def test_placeholders(text, plain, found):
    read = read_placeholders(text)
    assert read.text == plain
    assert [mark.tag.strip() for mark in read.marks] == found


def test_a_message_that_is_not_closed_is_refused():
    with pytest.raises(XalignError, match="unclosed"):
        read_placeholders("a {b, select, x {y}")
