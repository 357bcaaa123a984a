"""Addresses have the form that the servers document."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from tests.examples.recipes import load

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


def test_xlm_aligns_94_languages_have_87_codes():
    languages = corpora.monolingual()
    assert len(languages) == 87 and sum(max(1, len(each.archives)) for each in languages.values()) == 94
    assert [source.name for source in corpora.cc100("zh")] == ["zh-Hans.txt.xz", "zh-Hant.txt.xz"]
    assert [source.name for source in corpora.cc100("br")] == ["br.txt.xz"]  # not in the paper
    assert not corpora.cc100("tt") and corpora.wikipedia("tt").text == 0.09
    assert languages["en"].ccnet == 731.6 and languages["en"].wikipedia == 12.58  # Tables 8 and 9
