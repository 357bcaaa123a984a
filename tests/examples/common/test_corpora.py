"""Addresses have the form that the servers' own pages give them."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.examples.recipes import load
from xalign_fairseq.core.errors import XalignError

[corpora] = load("common", "corpora")


def test_every_address_is_one_of_https_with_a_file():
    sources = [corpora.file(name) for name in corpora.FILES] + [
        corpora.bitext(name, "en", "de") for name in (*corpora.OPUS, corpora.SAMPLED)
    ]
    for source in [*sources, corpora.cc100("sw")]:
        for address in (source.url, source.home):
            assert urlsplit(address).scheme == "https" and not re.search(r"[\s{}]", address)
        assert Path(urlsplit(source.url).path).name.endswith(Path(source.name).suffix)
        assert source.home in str(source) and source.path(Path("downloads")).parent == Path("downloads")


def test_opus_names_a_pair_by_the_alphabet():
    for languages in (("en", "de"), ("de", "en")):
        assert corpora.bitext("Europarl", *languages).url.endswith("/OPUS-Europarl/v8/moses/de-en.txt.zip")


def test_chinese_of_cc100_goes_by_its_script():
    assert corpora.cc100("zh").url.endswith("/zh-Hans.txt.xz")


def test_sizes_are_told_where_they_are_known():
    assert "192 MB" in str(corpora.file("wikitext-103")) and "size not known" in str(corpora.file("XNLI"))


@pytest.mark.parametrize("call", [lambda: corpora.bitext("Nothing", "en", "de"), lambda: corpora.file("nothing")])
def test_what_is_not_known_is_told_with_what_is(call):
    with pytest.raises(XalignError, match="is not known"):
        call()
