"""The YAML files of examples/xlm_align say what 3_train.sh says: both go through fairseq's own parsers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RECIPE = Path(__file__).parents[2] / "examples/xlm_align"
# The command line gives it a default, YAML does not; it scores translations.
ASIDE = "scoring"


def command_line(setting, tmp_path):
    """What 3_train.sh passes to fairseq-train, which a stand-in writes down here."""
    stand_in = tmp_path / "bin/fairseq-train"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    stand_in.chmod(0o755)
    path = f"{stand_in.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {"UPDATES", "LINKS_UNTIL", "COLD", "SEED", "MAX_TOKENS"}
    environment = {name: value for name, value in os.environ.items() if name not in variables}
    done = subprocess.run(
        ["bash", str(RECIPE / "3_train.sh"), "/data-bin", str(tmp_path / "save"), setting],
        capture_output=True, text=True, check=True, env={**environment, "PATH": path, "INIT": "/xlmr/model.pt"},
    )  # fmt: skip
    return json.loads(done.stdout)


def configurations(arguments, name, overrides):
    """``{"section.option": value}`` of the command and of the YAML, every option of fairseq included."""
    reader = str(Path(__file__).with_name("read_options.py"))
    done = subprocess.run(
        [sys.executable, reader, json.dumps(arguments), str(RECIPE), name, json.dumps(overrides)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [
        {
            f"{section}.{option}": value
            for section, values in configuration.items()
            if section != ASIDE and isinstance(values, dict)
            for option, value in values.items()
        }
        for configuration in json.loads(done.stdout.strip().split("\n")[-1])
    ]


@pytest.mark.parametrize(("setting", "name"), [("links", "tiny_links"), ("base", "base")])
def test_yaml_has_the_options_of_the_script(setting, name, tmp_path):
    arguments = command_line(setting, tmp_path)
    user_dir, save = arguments[arguments.index("--user-dir") + 1], tmp_path / "save"
    overrides = [
        f"common.user_dir={user_dir}", "task.data=/data-bin", f"checkpoint.save_dir={save}",
        f"common.log_file={save}/train.log", f"common.tensorboard_logdir={save}/tensorboard",
    ]  # fmt: skip
    if setting == "base":
        overrides.append("model.init_checkpoint=/xlmr/model.pt")
    script, yaml = configurations(arguments, name, overrides)
    differing = {
        option: (script.get(option, "absent"), yaml.get(option, "absent"))
        for option in script.keys() | yaml.keys()
        if script.get(option, "absent") != yaml.get(option, "absent")
    }
    assert not differing
    assert yaml["criterion._name"] == "xlm_align" and yaml["task._name"] == "xalign_pretraining"
    if setting == "base":  # Table 11
        assert yaml["optimization.update_freq"] == [8] and yaml["dataset.batch_size"] == 32
        assert yaml["optimizer.adam_betas"] == "(0.9, 0.98)" and yaml["lr_scheduler.warmup_updates"] == 10000
        assert yaml["criterion.dwa_label_layer"] == 10 and yaml["model.encoder_layers"] == 12
