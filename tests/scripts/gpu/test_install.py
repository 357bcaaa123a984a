"""What the new environment sees of the machine, and what stops an installation."""

import pytest


def test_folders_of_installed_packages(gpu_script, tmp_path):
    for name in ("lib/site-packages", "lib/dist-packages", "lib/other"):
        (tmp_path / name).mkdir(parents=True)
    path = [
        "",
        f"{tmp_path}/lib/site-packages",
        f"{tmp_path}/lib/other",
        f"{tmp_path}/lib/dist-packages",
        f"{tmp_path}/gone/site-packages",
    ]
    assert gpu_script("install").sites(path) == [path[1], path[3]]


def test_a_kit_without_its_wheel(gpu_script, tmp_path):
    with pytest.raises(gpu_script("kit").KitError, match=r"has 0 files pip-\*.whl where one is expected"):
        gpu_script("install").one(tmp_path, "pip-*.whl")


def test_a_command_that_fails_is_named(gpu_script):
    with pytest.raises(gpu_script("kit").KitError, match="this failed: sh -c false"):
        gpu_script("install").run(["sh", "-c", "false"])
