#!/usr/bin/env python3
"""Convert a YAML file for fairseq-hydra-train to options of fairseq-train, one word per line.

usage: options.py YAML [SECTION[.OPTION]=VALUE ...]

Without paths (???) and the device, which the recipes' scripts set. The last word is the number of updates.
"""

import sys

import yaml

NAMES = {"task": "task", "model": "arch", "criterion": "criterion", "optimizer": "optimizer"}
NAMES["lr_scheduler"] = "lr-scheduler"
GIVEN = {"fp16", "bf16", "cpu", "memory_efficient_fp16", "tensorboard_logdir", "log_file"}
REPEATED = {"optimizer": {"lr"}, "lr_scheduler": {"lr", "total_num_update"}, "optimization": {"max_update"}}
REPEATED["dataset"] = {"batch_size_valid", "max_tokens_valid"}


def options(configuration):
    """The words of the command line."""
    words = []
    for section, values in configuration.items():
        for option, value in values.items():
            if option in GIVEN | REPEATED.get(section, set()) or value is False or value in ("", "???"):
                continue
            words.append("--" + (NAMES[section] if option == "_name" else option.replace("_", "-")))
            if isinstance(value, list):
                words.append(",".join(map(str, value)))
            elif value is not True:
                words.append(str(value))
    return [*words, "--max-update", str(configuration["optimization"]["max_update"])]


def main():
    path, *overrides = sys.argv[1:]
    with open(path) as stream:
        configuration = yaml.safe_load(stream)
    for override in overrides:
        place, _, value = override.partition("=")
        section, _, option = place.partition(".")
        given = yaml.safe_load(value)
        configuration[section] = {**configuration[section], option: given} if option else given
    print("\n".join(options(configuration)))


if __name__ == "__main__":
    main()
