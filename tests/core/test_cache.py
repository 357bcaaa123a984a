import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from xalign_fairseq.core.cache import cache_folder, fault, make_private


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("XALIGN_CACHE", str(folder))
    return folder


def test_where_it_is(monkeypatch):
    monkeypatch.delenv("XALIGN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/xalign_fairseq")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == Path("/home/someone/.cache/xalign_fairseq")


def test_it_is_made_for_its_user_alone_whatever_the_umask(cache):
    before = os.umask(0)
    try:
        make_private(cache / "cpu-1")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (cache, cache / "cpu-1")} == {0o700}
    make_private(cache / "cpu-1")  # it may be there


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_cache_that_others_may_write_is_refused(cache, mode):
    cache.mkdir()
    cache.chmod(mode)
    with pytest.raises(PermissionError, match="other users may write"):
        make_private(cache / "cpu-1")


def test_others_may_read_it(cache):
    cache.mkdir(mode=0o755)
    cache.chmod(0o755)
    make_private(cache / "cpu-1")


def test_files_of_another_user_are_not_trusted_those_of_root_are(tmp_path, monkeypatch):
    def owned(user):
        mode = tmp_path.lstat().st_mode & ~0o022
        monkeypatch.setattr(Path, "lstat", lambda self: SimpleNamespace(st_mode=mode, st_uid=user))
        return fault(tmp_path)

    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert owned(1000) is None and owned(0) is None
    assert "another user" in owned(1001)


def test_a_link_is_not_followed_but_for_the_users_own_way_to_the_cache(cache, tmp_path):
    (tmp_path / "disk").mkdir(mode=0o700)
    cache.symlink_to(tmp_path / "disk")
    make_private(cache / "cpu-1")  # a cache on another disk
    (cache / "library.so").symlink_to("/etc/hostname")
    assert "symbolic link" in fault(cache / "library.so")
