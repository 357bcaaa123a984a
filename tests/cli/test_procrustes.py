import re

from support.checkpoints import checkpoint_of

from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint


def test_distances_are_printed_and_a_folder_is_read_as_its_checkpoint(tmp_path, capsys, databin, tmp_path_factory):
    source = checkpoint_of(databin, tmp_path_factory.mktemp("source") / "source.pt")
    options = ["procrustes", "--model", str(source), "--data", str(databin), "--pivot-lang", "de"]
    assert main([*options, "--lang-pairs", "en-de, ", "--out", str(tmp_path / "one.pt")]) == 0
    told = capsys.readouterr().err
    assert re.search(
        r"en -> de: [\d,]+ word pairs; mean squared distance over all layers [\d.]+, mapped [\d.]+\n", told
    )
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "model.pt").symlink_to(options[2])
    assert main([*options, "--model", str(folder), "--lang-pairs", "en-de", "--out", str(tmp_path / "other.pt")]) == 0
    one, other = (checkpoint.read(tmp_path / out)["model"] for out in ("one.pt", "other.pt"))
    assert one.keys() == other.keys() and all(one[key].equal(other[key]) for key in one)
