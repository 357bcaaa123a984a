"""Addresses have the form that the servers' own pages give them."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.examples.recipes import load
from xalign_fairseq.core.errors import XalignError

[corpora] = load("common", "corpora")


def test_every_address_is_one_of_https_with_a_file():
    sources = [source for name in corpora.named() for source in corpora.files(name)] + [
        corpora.bitext(name, "en", "de") for name in (*corpora.OPUS, corpora.SAMPLED)
    ]
    for source in [*sources, *corpora.cc100("sw"), corpora.wikipedia("sw")]:
        for address in (source.url, source.home):
            assert urlsplit(address).scheme == "https" and not re.search(r"[\s{}]", address)
        assert Path(urlsplit(source.url).path).name.endswith(Path(source.name).suffix)
        assert source.home in str(source) and Path("downloads") in source.path(Path("downloads")).parents
        assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256)
    assert len({source.name for source in sources}) == len({(source.name, source.url) for source in sources})


def test_opus_names_a_pair_by_the_alphabet():
    for languages in (("en", "de"), ("de", "en")):
        assert corpora.bitext("Europarl", *languages).url.endswith("/OPUS-Europarl/v8/moses/de-en.txt.zip")


def test_the_94_languages_of_xlm_align_are_87_codes_of_which_some_stand_for_two():
    languages = corpora.monolingual()
    assert len(languages) == 87 and sum(max(1, len(each.archives)) for each in languages.values()) == 94
    assert [source.name for source in corpora.cc100("zh")] == ["zh-Hans.txt.xz", "zh-Hant.txt.xz"]
    assert [source.name for source in corpora.cc100("br")] == ["br.txt.xz"]  # not of the paper's
    assert not corpora.cc100("tt") and corpora.wikipedia("tt").text == 0.09
    assert languages["en"].ccnet == 731.6 and languages["en"].wikipedia == 12.58  # Tables 8 and 9


def test_sizes_are_told_where_they_are_known():
    wikitext, [treebanks] = corpora.files("wikitext-103")[0], corpora.files("UD-2.6")
    assert (
        "192 MB" in str(wikitext)
        and "size not known" in str(treebanks)
        and "0.3 GB of text" in str(corpora.cc100("sw")[0])
    )
    told = corpora.total([wikitext, treebanks, *corpora.cc100("ru")])
    assert told == (
        "3 files; 0.2 GB of known size; 253.3 GB of text (its archives have about a quarter of that); 1 of unknown size"
    )


@pytest.mark.parametrize("call", [lambda: corpora.bitext("Nothing", "en", "de"), lambda: corpora.files("nothing")])
def test_what_is_not_known_is_told_with_what_is(call):
    with pytest.raises(XalignError, match="is not known"):
        call()
