"""Where files are mapped in this process's memory."""

from pathlib import Path


def mappings_of(path):
    """The ranges of addresses at which a file is mapped."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, *_, name = line.split(maxsplit=5)
        if name == str(path):
            begin, end = (int(each, 16) for each in addresses.split("-"))
            found.append(range(begin, end))
    return found


def share_mapped(aligner, path):
    """Of an aligner's parameters, how many of their bytes are mapped from a file, as a share."""
    mapped = mappings_of(path)
    sizes = {True: 0, False: 0}
    for parameter in aligner.encoder.parameters():
        sizes[any(parameter.data_ptr() in each for each in mapped)] += parameter.nbytes
    return sizes[True] / sum(sizes.values())
