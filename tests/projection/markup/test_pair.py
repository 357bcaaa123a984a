import re

import pytest

from xalign_fairseq.core.text.segmentation import split_at_spaces
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.projection.markup.pair import MARKUPS, markup_unit
from xalign_fairseq.projection.units import Dropped, Projected

BY_HAND = "the translation already has tags: add this one by hand"
MARKUP = "the translation has characters that would be markup"
ADDED = "the translation has this tag, but its source does not"
DIAGONAL = {(i, i): 1.0 for i in range(9)}


def project(markup, source, target):
    unit = markup_unit(MARKUPS[markup], source, target, split_at_spaces, "here")
    return unit.project({(i, j): p for (i, j), p in DIAGONAL.items() if i < min(len(unit.src), len(unit.tgt))})


@pytest.mark.parametrize(
    ("markup", "source", "target", "expected"),
    [
        # modernmt 338: escaped text is neither escaped twice nor unescaped
        ("html", "ID <b>&lt;OCID></b> x", "ID <OCID> y", "ID <b>&lt;OCID></b> y"),
        ("html", "red house", "a < b", "a &lt; b"),
        ("html", "R&D x <b>y</b>", "R&D &lt; y", "R&amp;D &amp;lt; <b>y</b>"),
        ("xml", "a&#160;b", "c\xa0d & e", "c&#160;d &amp; e"),
        ("placeholders", "{0} of {1}", "de {1}", "{0} de {1}"),
        ("placeholders", "Add {0} {1} All", "Adaugă {1} toate", "Adaugă {0} {1} toate"),
        ("placeholders", "Add {1} {0} All", "Adaugă {1} toate", "Adaugă {1} {0} toate"),
        ("placeholders", "a ({1}{0}{2})", "b ({1}{2})", "b ({1}{0}{2})"),
        ("placeholders", "%s a %s", "%s b", "%s b %s"),
        ("placeholders", "%d files", "%d fichiers", "%d fichiers"),
        ("bilingual", "a <x/>b", "A&#xA0;B", "A&#xA0;<x/>B"),
        ("placeholders", "Save {n, plural, one {# file}}", "{n,plural, one {#}} a", "{n,plural, one {#}} a"),
        ("placeholders", "%s to %s", "%2$s a %1$s", "%2$s a %1$s"),
        ("placeholders", "%1$s to %2$s", "a %1$s", "a %1$s %2$s"),
        ("placeholders", "%d to %s", "%s a %d", "%2$s a %1$d"),  # another order of arguments needs numbers
        ("placeholders", "a %d %5.1f b", "%5.1f A", "%2$5.1f %1$d A"),
        ("placeholders", "a %s to %s", "%2$s A", "%2$s %1$s A"),
        ("placeholders", "a %(n)d %(o)s", "%(o)s A", "%(o)s %(n)d A"),
        ("placeholders", "%dx%dpx %sMB", "xpx MB", "%dx%dpx %sMB"),
        (
            "bilingual",
            "a <g>b<!-- own --></g> <?own?>c",
            "A <!-- <x/> -->B &amp; <?p?> C<!-- d --><?e?>",
            "A <g><!-- <x/> -->B</g> &amp; <?p?> C<!-- d --><?e?>",
        ),
    ],
)
def test_the_translation_is_written_like_its_source(markup, source, target, expected):
    projected = project(markup, source, target)
    assert (projected.text, projected.dropped) == (expected, ())


@pytest.mark.parametrize(
    ("markup", "source", "target", "expected"),
    [
        ("placeholders", "I have {0} books.", "我有书。", "我有{0}书。"),
        ("placeholders", "我有{0}书。", "I have books.", "I have {0} books."),
        ("placeholders", "件{0}。", "File.", "File {0}."),
        ("placeholders", "日 {0} 本", "日 本", "日 {0} 本"),
        ("bilingual", "我<ph>%d</ph> 有", "我 有", "我<ph>%d</ph> 有"),
        ("html", "I <img> have", "我有", "我<img>有"),
        ("html", "I<img> have", "我6", "我<img>6"),  # no space where the translation has none
        ("html", "I <img>have", "6我", "6<img>我"),
        ("html", "我<img>有", "I have", "I<img> have"),  # an image is not a word
        ("bilingual", '我<x equiv-text="{{n}}"/>有', "I have", 'I <x equiv-text="{{n}}"/> have'),
        ("bilingual", "我<ph>%d</ph>有", "I have", "I <ph>%d</ph> have"),
    ],
)
def test_only_one_language_has_spaces_around_a_single_tag(markup, source, target, expected):
    def segment(text):
        return SegmentedText(text, [match.span() for match in re.finditer(r"[A-Za-z]+|[^\sA-Za-z]", text)])

    unit = markup_unit(MARKUPS[markup], source, target, segment, "here")
    assert unit.project({(i, i): 1.0 for i in range(len(unit.src))}).text == expected


def test_a_new_order_of_arguments_counts_equal_placeholders_and_is_reported_if_they_have_no_numbers():
    reason = "the order of placeholders without numbers has changed"
    for source, text, dropped in (
        ("a %s b %s", "B %2$s A %1$s", ()),
        ("a {} b {:x}", "B {:x} A {}", (Dropped("{:x} {}", reason),)),
        ("a %2$s b %s", "B %s A %2$s", ()),
    ):
        unit = markup_unit(MARKUPS["placeholders"], source, "B A", split_at_spaces, "here")
        assert unit.project({(0, 1): 1.0, (1, 0): 1.0}) == Projected(text, 2, dropped)


def test_a_placeholder_that_only_the_translation_has_is_reported():
    for source, target, text in (("Hi {n}", "Ha {m}", "Ha {n} {m}"), ("n{0}o {1}", "{m} {1}", "{m}{0} {1}")):
        assert project("placeholders", source, target) == Projected(text, 1, (Dropped("{m}", ADDED),))


def test_only_a_tag_without_its_partner_is_left_out():
    projected = project("xml", "<p>A <i>broken</i> <b>tag.</p>", "Un cassé tag.")
    assert projected.text == "<p>Un <i>cassé</i> tag.</p>"
    assert projected.dropped == (Dropped("<b>", "an opening tag has no closing tag"),)


@pytest.mark.parametrize(
    ("markup", "source", "target", "dropped"),
    [
        ("html", "a <b>b</b> <i>c</i>", "A <b>B C", [("</b>", BY_HAND), ("<i>", BY_HAND), ("</i>", BY_HAND)]),
        ("xml", "<p>a <b>b</b></p>", "<p>A <b>B</p>", [("</b>", BY_HAND)]),
        ("bilingual", "<bpt id='1'/>a<ept id='1'/>", "<bpt id='1'/>A", [("<ept id='1'/>", BY_HAND)]),
        ("bilingual", "<sc id='1'/>a<ec startRef='1'/>", "A<ec startRef='1'/>", [("<sc id='1'/>", BY_HAND)]),
        ("bilingual", "a <x id='1' b='2' />b", 'A <x b="2"  id="1"></x>B', []),  # equal XML
        (
            "bilingual",
            "<ph id='1' >x</ph> a <g id='1'>b</g><g id='2'></g>",
            '<ph id="1">x</ph> A <g id="1">B</g><g id="2"/>',
            [],
        ),
        (
            "bilingual",
            "<ph id='1'>x</ph> a",
            '<ph id="1">y</ph> A',
            [("<ph id='1'>x</ph>", BY_HAND), ('<ph id="1">y</ph>', ADDED)],
        ),
        ("html", "<a id=1>a</a> <i>b</i>", "<a id=2>A</a> <i>B</i>", [("<a id=1>", BY_HAND), ("<a id=2>", ADDED)]),
        ("bilingual", "a <x/>b<!-- c -->", "A B<x/>", []),
        ("bilingual", "<g id='1'>a</g> b", 'A <g id="1"></g>B', []),
        ("bilingual", "a<x ctype='lb'/>b", "A<!-- c --> B", [("<x ctype='lb'/>", MARKUP)]),  # no comment is lost
        ("bilingual", "a <x/>b<y/><z/>", "A <x/>B", [("<y/>", BY_HAND), ("<z/>", BY_HAND)]),
        ("bilingual", "a <x/>b", "A B<y></y>", [("<x/>", BY_HAND), ("<y>", ADDED)]),
        ("bilingual", "a <x/>b", "A <x/>B<x/>", [("<x/>", ADDED)]),
        ("html", "a <B class=x ID='y' q>b</B><BR/>", 'A <b id="y" CLASS="x" Q>B</b><br>', []),
        ("bilingual", "<bpt i='1' x='3'>y</bpt>a<ept i='1'>z</ept>", "<bpt i='2' x='3'/>A<ept i='2'>z</ept>", []),
        ("html", "a<br>b<br>c", "A B<br><br>C", []),
        ("bilingual", "a <b>b</b>", "<b>A</b> B", []),
        ("xml", "a <b>b", "A B", [("<b>", "an opening tag has no closing tag")]),
        ("xml", "a <b>b", "A <b>B", [("<b>", "an opening tag has no closing tag")]),
        ("xml", "a </b>b", "A B", [("</b>", "a closing tag has no opening tag")]),
        ("xml", "<x/>" * 1001, "A B", [("<x/>" * 20, "a text has too many tags: at most 1,000")]),
        ("xml", "x" * (1 << 20) + "y", "A B", [("x" * 80, "a text is too long: at most 1,048,576 characters")]),
    ],
)
def test_an_invalid_or_tagged_translation_is_unchanged(markup, source, target, dropped):
    assert project(markup, source, target) == Projected(target, 0, tuple(Dropped(*each) for each in dropped))
