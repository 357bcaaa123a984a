import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.labels.conll import entity_columns, read_spans, scheme_of, write_tags
from xalign_fairseq.projection.units import Annotated, Unit


@pytest.fixture
def pieces(tmp_path):
    def read(source, target):
        (tmp_path / "a.conll").write_text(source)
        (tmp_path / "b").write_text(target)
        return list(entity_columns(Annotated(str(tmp_path / "a.conll"), str(tmp_path / "b"))))

    return read


def test_entities_are_written_as_bio_with_the_separator_of_the_source(pieces):
    source = "-DOCSTART- -X- O O\n\nEU NNP I-NP B-ORG\nin IN I-PP O\nNew NNP I-NP B-LOC\nYork NNP I-NP I-LOC\n\n"
    start, unit = pieces(source, "In New York die EU\n")
    assert start == "-DOCSTART- -X- O O\n\n"
    projected = unit.project({(0, 4): 0.9, (2, 1): 0.9, (3, 2): 0.9})
    assert projected.text == "In O\nNew B-LOC\nYork I-LOC\ndie O\nEU B-ORG\n\n" and projected.placed == 2
    [unit] = pieces("EU\tB-ORG\n", "die EU\n")
    assert unit.project({(0, 1): 0.9}).text == "die\tO\nEU\tB-ORG\n\n"


def test_a_word_may_contain_white_space_other_than_a_space(pieces):
    [unit] = pieces("New\u00a0York B-LOC\n\u3000 O\n", "Paris .\n")
    assert unit.src.words[0] == "New\u00a0York"
    assert unit.project({(0, 0): 0.9, (1, 1): 0.9}).text == "Paris B-LOC\n. O\n\n"


def test_tags_that_are_not_valid_are_counted_and_give_no_label(pieces):
    _, bad, bare, empty = pieces("a\tB-PER\nb\tO\n\na\tO\nb\tI-PER\n\nc\n\nd\tO\n", "x y\nx y\nz\nd\n")
    [lost] = pieces("d\tO\n", "\n")
    for unit, reason in ((bad, "not valid BIO"), (bare, "no tag"), (lost, "translation is empty")):
        [dropped] = unit.project({}).dropped
        assert reason in dropped.reason and not unit.needs_links
    assert bad.project({}).text == "x\tO\ny\tO\n\n" and bad.where.endswith("a.conll, line 4")
    assert not empty.needs_links and empty.project({}).dropped == ()


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("BIO", "B-A I-A B-A O B-B"),
        ("IOB1", "I-A I-A B-A O I-B"),
        ("IOBES", "B-A E-A S-A O S-B"),
        ("IOBES", "B-A L-A U-A O U-B"),
    ],
)
def test_schemes_are_found_and_read(scheme, tags):
    assert scheme_of(iter([tags.split()])) == scheme
    assert read_spans(tags.split(), scheme) == [(range(0, 2), "A"), (range(2, 3), "A"), (range(4, 5), "B")]


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [("BIO", "O I-A"), ("BIO", "B-A I-B"), ("BIO", "A"), ("IOBES", "B-A O"), ("IOBES", "I-A"), ("IOB1", "E-A")],
)
def test_tags_that_break_their_scheme_are_errors(scheme, tags):
    with pytest.raises(XalignError, match=f"not valid {scheme}"):
        read_spans(tags.split(), scheme)


@given(st.sets(st.integers(0, 12), max_size=10), st.lists(st.sampled_from(["A", "B-C"]), min_size=6, max_size=6))
def test_written_links_are_read_back(cuts, kinds):
    cuts = sorted(cuts)
    spans = [(range(*pair), kind) for *pair, kind in zip(cuts[::2], cuts[1::2], kinds, strict=False)]
    assert read_spans(write_tags(12, spans)) == spans


@given(
    st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B"]), min_size=1, max_size=8),
    st.dictionaries(st.tuples(st.integers(0, 7), st.integers(0, 5)), st.floats(0.1, 1)),
)
def test_any_links_give_valid_bio_and_each_entity_is_placed_or_dropped(tmp_path_factory, tags, links):
    folder = tmp_path_factory.mktemp("conll")
    tags = ["B" + tag[1:] if tag[0] == "I" and before == "O" else tag for before, tag in zip(["O", *tags], tags)]  # noqa: B905
    (folder / "a").write_text("w\tB-A\n\n" + "".join(f"w\t{tag}\n" for tag in tags))
    (folder / "b").write_text("x\nx x x x x x\n")
    _, unit = entity_columns(Annotated(str(folder / "a"), str(folder / "b")))
    assert isinstance(unit, Unit)
    projected = unit.project({(i, j): p for (i, j), p in links.items() if i < len(tags)})
    try:
        spans = read_spans(tags)
    except XalignError:
        assert len(projected.dropped) == 1 and projected.placed == 0
        return
    written = [line.split("\t")[1] for line in projected.text.splitlines() if line]
    assert len(read_spans(written)) == projected.placed == len(spans) - len(projected.dropped)


def test_another_number_of_sentences_is_an_error(pieces):
    for target, message in (("x\n", "b has only 1"), ("x\ny\nz\n", "a.conll has only 2")):
        with pytest.raises(XalignError, match=message):
            pieces("a\tO\n\nb\tO\n", target)
