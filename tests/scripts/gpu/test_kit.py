"""A kit that can't be used gives the reason."""

import json

import pytest


def test_a_whole_kit_is_read(gpu_script, kit):
    assert gpu_script("kit").read(kit)["commit"] == "abc1234"


def test_a_folder_that_is_not_a_kit(gpu_script, tmp_path):
    kits = gpu_script("kit")
    with pytest.raises(kits.KitError, match=r"not a kit: it has no kit.json; scripts/gpu/pack.sh"):
        kits.read(tmp_path)


def test_an_incomplete_kit(gpu_script, kit):
    kits = gpu_script("kit")
    (kit / "requirements.txt").unlink()
    with pytest.raises(kits.KitError, match=r"lacks requirements.txt; pack it again"):
        kits.read(kit)


def test_an_error_has_no_traceback(gpu_script, capsys):
    kits = gpu_script("kit")

    def main():
        raise kits.KitError("no such thing")

    assert kits.tell(main) == 2
    assert capsys.readouterr().err == "error: no such thing\n"


def test_the_manifest_has_the_sizes_and_a_kit_that_is_too_large_is_refused(gpu_script, kit, capsys, monkeypatch):
    kits, manifest = gpu_script("kit"), gpu_script("pack_manifest")
    (kit / "wheels/large-1-py3-none-any.whl").write_bytes(bytes(2_000_000))
    assert manifest.write(kit, "abc1234", "3.12", "9.0a") == kits.size(kit) > 2_000_000
    said = capsys.readouterr().out
    assert "2.00 MB  wheels" in said and "2.00 MB  large-1-py3-none-any.whl" in said
    found = json.loads((kit / "kit.json").read_text())
    assert found["bytes"]["wheels"] == found["wheels"]["large-1-py3-none-any.whl"] == 2_000_000
    monkeypatch.setattr(kits, "LARGEST", 2_000_000)
    with pytest.raises(kits.KitError, match="larger than 2 MB"):
        manifest.write(kit, "abc1234", "3.12", "9.0a")
    assert not (kit / "kit.json").exists()
