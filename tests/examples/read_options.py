"""Print fairseq's complete configurations of commands and YAML files; tests run this in a separate process.

usage: read_options.py < JOBS > CONFIGURATIONS

JOBS is a JSON list of objects with ``arguments`` of fairseq-train; or ``folder``, ``name`` and ``overrides`` of a
YAML file; or both. CONFIGURATIONS are two lists, for the commands and for the files.
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


def of_yaml(folder, name, overrides):
    """The configuration that fairseq-hydra-train makes from a file and its overrides."""
    hydra_init(name)
    with initialize_config_dir(folder, version_base=None):
        configuration = compose(name, overrides=overrides)
    add_defaults(configuration)
    return configuration


jobs = json.load(sys.stdin)
commands = [
    convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), job["arguments"]))
    for job in jobs
    if "arguments" in job
]  # first, because hydra's configuration cannot be undone
files = [of_yaml(job["folder"], job["name"], job["overrides"]) for job in jobs if "folder" in job]
with omegaconf_no_object_check():
    plain = [
        [OmegaConf.to_container(each, resolve=True, enum_to_str=True) for each in found] for found in (commands, files)
    ]
print("\n" + json.dumps(plain))
