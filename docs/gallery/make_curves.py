"""What tensorboard shows of a training: a curve for each objective, from the event files of a run of XLM-Align."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pictures

from xalign_fairseq.cli import main as xalign
from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
from xalign_fairseq.evaluation.plots.palette import ACCENT, INK
from xalign_fairseq.languages.sample.bitext import write_sample
from xalign_fairseq.trainer.fairseq_train import USER_DIR

INPUTS = ()
UPDATES, EVERY = 150, 5
CURVES = {
    "mlm_loss": "MLM, bits a token",
    "tlm_loss": "TLM, bits a token",
    "dwa_loss": "DWA, bits a query",
    "dwa_accuracy": "DWA, share of right partners",
}


def draw(path: Path) -> None:
    """Train a small encoder on the sample, read its event files, and draw a panel for each curve."""
    with tempfile.TemporaryDirectory() as folder:
        curves = read(train(Path(folder)))
    figure = new_figure(9.0, 2.4)
    for axes, (key, title) in zip(figure.subplots(1, len(CURVES)), CURVES.items(), strict=True):
        axes.plot(*curves[key], color=ACCENT, linewidth=1.4)
        axes.set_title(title, color=INK, fontsize=9)
        axes.set_xlabel("updates", color=INK, fontsize=8)
        style_axes(axes, grid="y")
    save(figure, path)


def train(folder: Path) -> Path:
    """Three objectives on sentences of four made-up languages; the folder of the event files of training."""
    write_sample(str(folder / "text"), 600, 1, 50, 50, False)
    prefix, mono = folder / "text/en-de", folder / "text/mono/train"
    xalign(
        [
            "prepare",
            "--out",
            str(folder / "bin"),
            "--vocab-size",
            "800",
            "--pair",
            "en-de",
            "--trainpref",
            f"{prefix}/train",
            "--mono",
            f"en={mono}.en",
            "--mono",
            f"de={mono}.de",
        ]
    )
    command = [sys.executable, "-m", "fairseq_cli.train", str(folder / "bin"), "--user-dir", str(USER_DIR)]
    options = {
        "--task": "xalign_pretraining",
        "--criterion": "xlm_align",
        "--arch": "xalign_tiny",
        "--optimizer": "adam",
        "--lr": "1e-3",
        "--lr-scheduler": "polynomial_decay",
        "--warmup-updates": 15,
        "--total-num-update": UPDATES,
        "--max-update": UPDATES,
        "--max-tokens": 1024,
        "--mono-max-tokens": 1024,
        "--mono-tokens-per-sample": 64,
        "--dwa-label-layer": 2,
        "--num-workers": 0,
        "--log-interval": EVERY,
        "--save-dir": folder / "run",
        "--tensorboard-logdir": folder / "tensorboard",
        "--log-format": "simple",
    }
    words = [str(word) for option in options.items() for word in option]
    subprocess.run([*command, *words, "--cpu", "--disable-validation"], check=True, capture_output=True)
    return folder / "tensorboard/train_inner"


def read(folder: Path) -> dict[str, tuple[list[int], list[float]]]:
    """Updates and values of each key of the event files."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    found = {}
    for key in events.Tags()["scalars"]:
        points = events.Scalars(key)
        found[key] = [point.step for point in points], [point.value for point in points]
    return found


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
