"""Run by test_yaml_twins.py in a process of its own: prints fairseq's whole configuration of a command and of a YAML.

usage: read_options.py COMMAND YAML-FOLDER YAML-NAME OVERRIDES    (COMMAND and OVERRIDES are JSON lists)
"""

import json
import sys

import xalign_fairseq

xalign_fairseq.register()

from fairseq import options  # noqa: E402
from fairseq.dataclass.initialize import add_defaults, hydra_init  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf, omegaconf_no_object_check  # noqa: E402
from hydra import compose, initialize_config_dir  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

command, folder, name, overrides = sys.argv[1:]
arguments = options.parse_args_and_arch(options.get_training_parser(), json.loads(command))
from_command = convert_namespace_to_omegaconf(arguments)
hydra_init(name)
with initialize_config_dir(folder, version_base=None):
    from_yaml = compose(name, overrides=json.loads(overrides))
add_defaults(from_yaml)
with omegaconf_no_object_check():
    both = [OmegaConf.to_container(found, resolve=True, enum_to_str=True) for found in (from_command, from_yaml)]
print("\n" + json.dumps(both))
