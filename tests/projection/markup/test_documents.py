import re

import pytest

from tests.projection.markup.test_pair import ADDED, BY_HAND
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.formats import ANNOTATIONS
from xalign_fairseq.projection.markup import documents
from xalign_fairseq.projection.units import Annotated, Unit

XLIFF = """<?xml version="1.0" encoding="utf-8"?>
<!-- <target>no</target> -->
<xliff version='1.2' xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body>\r
<trans-unit id="1"  ><source>the <g id="1">red</g> house &lt;x> ü</source>
  <target state='a > b'>the red house &lt;x&gt; ü</target><note>a</note>
  <alt-trans><source>x</source><target>y</target></alt-trans></trans-unit>
<trans-unit id="2"><source>One <x id="1"/>a. Two.</source><seg-source><mrk mtype="seg" mid="1">One <x id="1"/>a.</mrk> \
<mrk mtype="seg" mid="2">Two.</mrk></seg-source>
  <target><mrk mtype="seg" mid="1">One a.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></target></trans-unit>
<trans-unit id="3"><source>a<ph id="1">{}</ph></source><target/></trans-unit>
<trans-unit id="4"><source>a <g id="1">b</g></source><target>a b<g id="1"></g></target></trans-unit>
<trans-unit id="5"><source>a <g id="1">b</g><x id="2"/></source><target><g id="1">a</g> b</target></trans-unit>
<trans-unit id="6"><source>a<x/></source></trans-unit>
</body></file></xliff>
<!-- end -->"""
XLIFF_2 = """<xliff version="2.0" srcLang="en" trgLang="fr"><file id="f"><unit id="1">
<originalData><data id="d">x</data>
</originalData><segment><source><pc id="1">a</pc> b<ph id="2"/></source><target>a b</target></segment>
<ignorable><source> </source><target> </target></ignorable></unit></file></xliff>"""
TMX = """<tmx version="1.4"><header srclang="en-US"/><body><tu><tuv xml:lang="de"><seg>a b</seg></tuv>
<tuv xml:lang="en-US">
<prop>x</prop><seg>a <bpt i="1">&lt;b></bpt>b<ept i="1">&lt;/b></ept></seg></tuv>
<tuv xml:lang="fr"><seg>a b</seg></tuv></tu>
<tu srclang="*all*"><tuv lang="fr"><seg><hi>a</hi></seg></tuv><tuv lang="de"><seg>a</seg></tuv></tu></body></tmx>"""


def result(tmp_path, name, content):
    path = tmp_path / f"a.{name}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(errors="surrogateescape"))
    pieces = list(ANNOTATIONS[name].read(Annotated(str(path))))
    units = [piece for piece in pieces if isinstance(piece, Unit)]
    made = [
        piece.project({(i, i): 1.0 for i in range(len(piece.src))}) if isinstance(piece, Unit) else piece
        for piece in pieces
    ]
    return units, made, "".join(each if isinstance(each, str) else each.text for each in made)


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
def test_xliff_1(tmp_path, monkeypatch, block):
    monkeypatch.setattr(documents, "BLOCK", block)
    units, made, text = result(tmp_path, "xliff", XLIFF)
    expected = XLIFF.replace(">the red house &lt;x&gt;", '>the <g id="1">red</g> house &lt;x&gt;')
    expected = expected.replace(">One a.<", '>One <x id="1"/>a.<')
    assert text == expected
    places = "5, unit 1; 8, unit 2, segment 1; 8, unit 2, segment 2; 9, unit 3; 10, unit 4; 11, unit 5; 12, unit 6"
    assert "; ".join(unit.where.partition("a.xliff, line ")[2] for unit in units) == places
    dropped = [each for piece in made if not isinstance(piece, str) for each in piece.dropped]
    assert [each.item for each in dropped] == ['<ph id="1">{}</ph>', '<x id="2"/>', "<x/>"]
    reasons = ["the translation is empty; its tags were not added", BY_HAND]
    assert [each.reason for each in dropped] == [*reasons, "the unit has no translation; its tags were not added"]


@pytest.mark.parametrize(
    ("target", "expected", "dropped"),
    [
        ("<1>A b</mrk> <2><!-- c --></mrk>", '<1>A <g id="1">b</g></mrk> <2><!-- c --></mrk>', ["segment 2: 2"]),
        ("<1>A b</mrk> <2/>", '<1>A <g id="1">b</g></mrk> <2/>', ["segment 2: 2"]),
        ("<1/> <2>C d</mrk>", '<1/> <2>C <g id="2">d</g></mrk>', ["segment 1: 1"]),
        ("<2>C d</mrk>", '<2>C <g id="2">d</g></mrk>', ["segment 1: 1"]),
        ("<1> </mrk><2/>", "<1> </mrk><2/>", ["segment 1: 1", "segment 2: 2"]),
        ("<3></mrk>", "<3></mrk>", ["unit 7: 1", "unit 7: 2"]),
        ("<3/>", "<3/>", ["unit 7: 1", "unit 7: 2"]),
    ],
)
def test_a_segment_without_translation_stays_and_its_tags_are_reported(tmp_path, target, expected, dropped):
    parts = 'a <g id="1">b</g>', 'c <g id="2">d</g>'
    unit = f"<source>{' '.join(parts)}</source><seg-source><1>{'</mrk> <2>'.join(parts)}</mrk></seg-source>"
    made = (
        f"<xliff><trans-unit id='7'>{unit}<target>{each}</target></trans-unit></xliff>" for each in (target, expected)
    )
    content, expected = (re.sub(r"<(\d)", r'<mrk mtype="seg" mid="\1"', each) for each in made)
    units, _, text = result(tmp_path, "xliff", content)
    assert text == expected
    found = [(unit.where.rpartition(", ")[2], each) for unit in units for each in unit.project({}).dropped]
    empty = "the translation is empty; its tags were not added"
    assert [f"{where}: {each.item[-3]}" for where, each in found if each.reason == empty] == dropped


@pytest.mark.parametrize(
    ("source", "target", "dropped"),
    [
        ("<1>A.</mrk> <x/><2>B.</mrk>", "<1>A.</mrk> <2>B.</mrk>", ["<x/>"]),
        ("<g><1>A.</mrk> <2>B.</mrk></g>", "<1>A.</mrk> <2>B.</mrk>", ["<g>"]),
        ("<g><1>A.</mrk></g><x/>", "<g><1>A.</mrk></g><x/><y/>", ["<y/>"]),
        ("<g><1>A.</mrk></g>", "<g><1>A.</mrk></g>", []),
    ],
)
def test_tags_around_and_between_segments_are_compared(tmp_path, source, target, dropped):
    unit = f"<source>A. B.</source><seg-source>{source}</seg-source><target>{target}</target>"
    content = re.sub(r"<(\d)", r'<mrk mtype="seg" mid="\1"', f"<xliff><trans-unit>{unit}</trans-unit></xliff>")
    units, _, text = result(tmp_path, "xliff", content)
    found = [each for unit in units for each in unit.project({}).dropped]
    assert text == content and [each.item for each in found] == dropped
    assert {each.reason for each in found} <= {"outside the segments: add this one by hand", ADDED}


def test_segments_of_one_number_divide_nothing(tmp_path):
    parts, target = ("A <g>x</g>.", "B."), "<1>A x.</mrk><2>B.</mrk><1>C.</mrk>"
    source = f"<source>{' '.join(parts)}</source><seg-source><1>{'</mrk><2>'.join(parts)}</mrk></seg-source>"
    content = f"<xliff><trans-unit>{source}<target>{target}</target></trans-unit></xliff>"
    units, _, text = result(tmp_path, "xliff", re.sub(r"<(\d)", r'<mrk mtype="seg" mid="\1"', content))
    assert text == re.sub(r"<(\d)", r'<mrk mtype="seg" mid="\1"', content)
    assert "<g>" in {each.item for unit in units for each in unit.project({}).dropped}


@pytest.mark.parametrize(
    "unit",
    [
        '<trans-unit id="1" translate="no">{}</trans-unit>',
        '<group translate="no"><trans-unit>{}</trans-unit></group>',
        '<unit id="1" translate="no"><segment>{}</segment></unit>',
        '<unit id="1"><segment>{}</segment></unit>',
        "<group translate=\"no\"><trans-unit translate='yes'>{}</trans-unit></group>",
    ],
)
def test_units_that_are_not_to_be_translated_stay(tmp_path, unit):
    """``translate="no"`` holds for everything below without its own value; nothing there is reported."""
    both = '<source><g id="1">a</g></source><target>a</target>', '<source><g id="2">b</g></source><target/>'
    content = f"<xliff>{''.join(map(unit.format, both))}</xliff>"
    units, _, text = result(tmp_path, "xliff", content)
    stays = 'translate="no"' in unit and "yes" not in unit
    assert len(units) == (0 if stays else 2) and (text == content) == stays
    assert stays or text == content.replace("<target>a<", '<target><g id="1">a</g><')


@pytest.mark.parametrize("name, content", [("xliff", XLIFF), ("xliff", XLIFF_2), ("tmx", TMX)])
def test_elements_may_have_a_prefix(tmp_path, name, content):
    content = content.replace("<target/>", "<target><mrk> </mrk></target>")
    content = re.sub("<(xliff|tmx)", r'<\1 xmlns:n="n"', content)
    expected, found = (
        re.sub("(</?)(?=[a-z])", r"\1n:", each) for each in (result(tmp_path, name, content)[2], content)
    )
    assert result(tmp_path, name, found)[2] == expected


FOREIGN = """<sdl:seg-defs><sdl:seg id="1"/><sdl:seg><sdl:value>a b</sdl:value></sdl:seg></sdl:seg-defs>
<target xmlns="other">a b</target>
<m:units xmlns:m="other"><m:unit><source>a</source><target>a</target></m:unit></m:units>"""


def test_elements_of_another_namespace_and_all_in_them_stay(tmp_path):
    for root in ("", ' xmlns="own"'):
        unit = "<trans-unit><source>a <g>b</g></source><target>{}</target>" + FOREIGN + "</trans-unit>"
        content = f"<xliff{root} xmlns:sdl='sdl'>{unit}</xliff>"
        units, _, text = result(tmp_path, "xliff", content.format("a b"))
        assert len(units) == 1 and text == content.format("a <g>b</g>")


CDATA = [("<![CDATA[<b>a]]>", "b"), ("a <g id='1'>b</g>", "<![CDATA[a b]]>"), ("a <![CDATA[b]]>", "")]


@pytest.mark.parametrize(("source", "target"), CDATA)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("xliff", "<xliff><trans-unit><source>{}</source><target>{}</target></trans-unit></xliff>"),
        ("tmx", "<tmx><tu><tuv xml:lang='en'><seg>{}</seg></tuv><tuv xml:lang='de'><seg>{}</seg></tuv></tu></tmx>"),
    ],
)
def test_a_unit_with_cdata_stays_and_is_reported(tmp_path, name, content, source, target):
    units, _, text = result(tmp_path, name, content.format(source, target))
    first, *others = units[0].project({}).dropped
    assert text == content.format(source, target)
    assert first.reason == "CDATA is not supported" and first.item.startswith("<![CDATA[")
    assert {each.reason for each in others} <= {"not copied, because another part of the text cannot be read"}


def test_cdata_that_is_code_belongs_to_its_tag(tmp_path):
    content = "<xliff><trans-unit><source>a<ph><![CDATA[<br>]]></ph></source><target>a{}</target></trans-unit></xliff>"
    text = result(tmp_path, "xliff", content.format(""))[2]
    assert text == content.format("<ph><![CDATA[<br>]]></ph>")


@pytest.mark.parametrize(
    ("srclang", "languages", "source"),
    [
        ("en-US", "de en fr", 1),
        ("en_us", "en en-GB en-US", 2),
        ("zh-Hant-TW", "en zh-hant", 1),
        ("en", "EN-gb de", 0),
        ("*all*", "de en", 0),
        ("", "de en", 0),
    ],
)
def test_the_source_language_of_tmx_may_have_a_region(tmp_path, srclang, languages, source):
    """A variant with the region of ``srclang`` comes first, also if it is the last of its unit."""
    units = "".join(f"<tuv xml:lang='{each}'><seg>{{}}</seg></tuv>" for each in languages.split())
    memory = f"<tmx><header srclang='{srclang}'/><tu>{units}</tu><tu/></tmx>"
    content = memory.format(*("<hi>a</hi>" if at == source else "a" for at in range(3)))
    assert result(tmp_path, "tmx", content)[2] == memory.format(*["<hi>a</hi>"] * 3)


def test_a_tmx_without_its_source_language_is_refused(tmp_path):
    unit = "<tu><tuv xml:lang='en'><seg>a</seg></tuv><tuv xml:lang='de-AT'><seg>a</seg></tuv></tu>"
    for srclang in ("English", "fr"):
        with pytest.raises(XalignError, match=rf"(?s)no text in this language.*a\.tmx.*srclang {srclang}.*en, de-AT"):
            result(tmp_path, "tmx", f"<tmx><header srclang='{srclang}'/>{unit}</tmx>")
        with pytest.raises(XalignError, match=f"srclang {srclang}"):
            result(tmp_path, "tmx", f"<tmx><tu srclang='{srclang}'>{unit[4:]}</tmx>")
    some = f"<tmx><header srclang='fr'/>{unit}<tu srclang='en'>{unit[4:]}</tmx>"
    assert len(result(tmp_path, "tmx", some)[0]) == 1


def test_xliff_2_and_tmx(tmp_path):
    expected = XLIFF_2.replace("<target>a b<", '<target><pc id="1">a</pc> b<ph id="2"/><')
    assert result(tmp_path, "xliff", XLIFF_2)[2] == expected
    marked = 'a <bpt i="1">&lt;b></bpt>b<ept i="1">&lt;/b></ept>'
    expected = TMX.replace("<seg>a b</seg>", f"<seg>{marked}</seg>").replace("<seg>a</seg>", "<seg><hi>a</hi></seg>")
    assert result(tmp_path, "tmx", TMX)[2] == expected


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<xliff>\n<a></xliff>", "not well-formed XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>', "defines entities"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "/etc/passwd">]>\n<a>&b;</a>', "defines entities"),
        ("<!DOCTYPE a [<!ATTLIST b c CDATA 'd'>]>\n<a/>", "declares attributes"),
        ('<?xml version="1.0" encoding="latin1"?>\n<a/>', r"iconv -f latin1 -t UTF-8 .*a\.xliff > .*correct the enc"),
        ("<a>" * 2000, "levels"),
        ("<xliff>\n<a>ferm\udce9e</a>", r"(?s)not UTF-8.*line 2\n.*0xe9 at position 7 .*iconv .*f > NEW.xliff"),
        ("<xliff>\n<a>ferm\udce9", "not UTF-8"),
        ("<xliff>\n<a><\u201c</a>", "not well-formed XML"),
        ("<a><!--" + "x" * 5_000_000 + "--></a>", "more than"),
        ("<\0a", "not UTF-16"),
        ("PK\3\4", "(?s)ZIP file.*next: unpack it"),
    ],
)
def test_unreadable_lines_are_named(tmp_path, content, problem):
    with pytest.raises(XalignError, match=problem) as caught:
        result(tmp_path, "xliff", content)
    assert "a.xliff, line " in str(caught.value) or "\0" in content or "PK" in content


def test_utf_16_becomes_utf_8(tmp_path):
    content = f"<?xml version='1.0' encoding='UTF-8'?>\r\n{XLIFF_2.replace('>a b<', '>ä ☃<')}"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        written = content.replace("UTF-8", encoding).encode(encoding)
        assert result(tmp_path, "xliff", written)[2] == result(tmp_path, "xliff", content)[2]


def test_a_missing_file_is_refused(tmp_path):
    for name, problem in ((f"{tmp_path}/b", "does not exist"), ("-", "(?s)not a regular file.*standard input")):
        with pytest.raises(XalignError, match=problem):
            list(ANNOTATIONS["xliff"].read(Annotated(name)))


def test_a_file_without_units_is_refused(tmp_path):
    for content in ("<a>b</a>", "<xliff/>", "<a:tmx xmlns:a='b'><tu/></a:tmx>"):
        with pytest.raises(XalignError, match="no unit"):
            result(tmp_path, "xliff", content)
