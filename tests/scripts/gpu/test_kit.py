"""A kit that can't be used gives the reason."""

import pytest


def test_a_whole_kit_is_read(gpu_script, kit):
    assert gpu_script("kit").read(kit)["commit"] == "abc1234"


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("kit.json", "not a kit: it has no kit.json; scripts/gpu/pack.sh"),
        ("requirements.txt", "lacks requirements.txt; pack it again"),
    ],
)
def test_an_incomplete_kit_is_an_error_without_a_traceback(gpu_script, kit, capsys, missing, message):
    (kit / missing).unlink()
    kits = gpu_script("kit")
    assert kits.tell(lambda: kits.read(kit)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said
