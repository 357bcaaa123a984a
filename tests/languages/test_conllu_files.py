import gzip
import random

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.languages import conllu_files

# "He can't sleep, Ann." with a multi-word token, an empty node, an enhanced graph, a subtype and a space in a word.
NATURAL = """\
# newdoc id = d1
# sent_id = d1-1
# newpar
# text = He can't sleep, Ann Lee.
# text_en = He can't sleep, Ann Lee.
1	He	he	PRON	PRP	Case=Nom	4	nsubj	4:nsubj	_
2-3	can't	_	_	_	_	_	_	_	_
2	ca	can	AUX	MD	VerbForm=Fin	4	aux	4:aux	SpaceAfter=No
3	n't	not	PART	RB	_	4	advmod	4:advmod	_
4	sleep	sleep	VERB	VB	_	0	root	0:root	SpaceAfter=No
5	,	,	PUNCT	,	_	6	punct	6:punct	_
5.1	you	you	PRON	PRP	_	_	_	4:dep	_
6	Ann Lee	Ann	PROPN	NNP	Number=Sing	4	vocative	4:vocative	SpaceAfter=No
7	.	.	PUNCT	.	_	4	punct	4:punct	_

# text = Yes
1	Yes	yes	INTJ	UH	_	_	_	_	_

"""
# The first sentence's words in the order 5 6 4 3 1 2 7.
DERIVED = """\
# newdoc id = d1
# sent_id = d1-1
# newpar
# text = , Ann Lee sleep n't He ca .
1	,	_	PUNCT	,	_	2	punct	_	_
2	Ann Lee	_	PROPN	NNP	Number=Sing	3	vocative	_	_
3	sleep	_	VERB	VB	_	0	root	_	_
4	n't	_	PART	RB	_	3	advmod	_	_
5	He	_	PRON	PRP	Case=Nom	3	nsubj	_	_
6	ca	_	AUX	MD	VerbForm=Fin	3	aux	_	_
7	.	_	PUNCT	.	_	3	punct	_	_

# text = Yes
1	Yes	_	INTJ	UH	_	_	_	_	_

"""


def text(sentences):
    return "".join(line + "\n" for line in conllu_files.lines(sentences))


@pytest.fixture
def write(tmp_path):
    def write(content, name="en.conllu"):
        (tmp_path / name).write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
        return tmp_path / name

    return write


def test_words_move_with_tags_heads_and_relations(write):
    derived, counts = conllu_files.derive(
        conllu_files.read(write(NATURAL)),
        lambda sentence, key: sentence.reordered([4, 5, 3, 2, 0, 1, 6]) if key == 0 else sentence,
    )
    assert text(derived) == DERIVED
    assert counts == {"multi-word tokens": 1, "empty nodes": 1, "enhanced dependencies": 7}


def random_treebank(chance, sentences=20):
    """Trees of random words, all different in a sentence."""
    blocks = []
    for _ in range(sentences):
        size = chance.randint(1, 12)
        grown = chance.sample(range(1, size + 1), size)
        head = {word: chance.choice(grown[:k]) if k else 0 for k, word in enumerate(grown)}
        blocks.append("".join(f"{k}\tw{k}\t_\tT{k}\t_\t_\t{head[k]}\tr{k}\t_\t_\n" for k in range(1, size + 1)))
    return "\n".join(blocks) + "\n"


def test_every_word_keeps_its_head_relation_and_tag(write):
    path = write(random_treebank(random.Random(7)))

    def shuffled(sentence, key):
        return sentence.reordered(random.Random(key).sample(range(len(sentence.source)), len(sentence.source)))

    derived, _ = conllu_files.derive(conllu_files.read(path), shuffled)

    def arcs(path):
        found = []
        for each in read_trees(path, "en"):
            heads = ["ROOT" if head == 0 else each.words[head - 1] for head in each.tree.heads]
            found.append(set(zip(each.words, heads, each.tree.relations, each.upos, strict=True)))
        return found

    assert arcs(write(text(derived), "derived.conllu")) == arcs(path)


def test_invalid_trees_are_refused_with_file_line_and_sentence(write):
    circle = NATURAL.replace("\t4\tvocative", "\t5\tvocative", 1)
    path = write("# text = Hm\n1\tHm\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n" + circle)
    with pytest.raises(XalignError, match=rf"(?s)form a cycle.*{path}, line 4 \(sentence d1-1\).*5 -> 6 -> 5"):
        conllu_files.read(path)


def test_trees_of_a_file_without_any_are_in_a_file_next_to_it(write, tmp_path):
    words = [["He", "ca", "n't", "sleep", ",", "Ann Lee", "."]]
    write(NATURAL.partition("\n\n")[0] + "\n", "dev-en.conllu.gz")
    trees = conllu_files.trees_next_to(tmp_path / "dev-en.tsv", words)
    assert [tree.heads for tree in trees] == [(3, 3, 3, -1, 5, 3, 3)]
    with pytest.raises(XalignError, match=r"(?s)does not match its sentence.*He ca n't.*expected: He can't"):
        conllu_files.trees_next_to(tmp_path / "dev-en.tsv", [["He", "can't"]])
    with pytest.raises(XalignError, match=r"(?s)number of sentences.*2 and 1"):
        conllu_files.trees_next_to(tmp_path / "dev-en.tsv", words * 2)
    with pytest.raises(XalignError, match=r"(?s)has no trees.*test-en\.conllu"):
        conllu_files.trees_next_to(tmp_path / "test-en.tsv", words)
    write(NATURAL.partition("\n\n")[2], "x.conllu")
    with pytest.raises(XalignError, match=r"(?s)does not match its sentence.*no heads"):
        conllu_files.trees_next_to(tmp_path / "x.tsv", [["Yes"]])
