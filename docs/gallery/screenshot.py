"""TensorBoard's page of a training, with a curve for each of XLM-Align's objectives: ``tensorboard.png``.

Needs ``pip install PyQt6-WebEngine``, and takes a few minutes.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pictures

from xalign_fairseq.cli import main as xalign
from xalign_fairseq.trainer.fairseq_train import USER_DIR

UPDATES = 200
CURVES = ("mlm_loss", "tlm_loss", "dwa_loss", "dwa_accuracy")
PORT = 6060
WIDTH, HEIGHT, SECONDS = 1300, 1010, 60
# The first run of user_dir_docs.md.
PREPARE = """prepare --pair en-de --trainpref {0}/text/en-de/train --mono en={0}/text/mono/train.en
    --mono de={0}/text/mono/train.de --links {0}/text/en-de/train.gold --vocab-size 1000 --out {0}/bin"""
TRAIN = """{0}/bin --user-dir {1} --task xalign_pretraining --criterion xlm_align --arch xalign_tiny --max-tokens 2000
    --optimizer xalign_adamw --lr 0.002 --lr-scheduler polynomial_decay --warmup-updates {3} --total-num-update {2}
    --max-update {2} --loss-normalization per-objective --dwa-links-until {2} --dwa-layer 2 --dwa-label-by pointer
    --dwa-filter argmax --dwa-queries all-aligned --save-dir {0}/run --no-save --log-format simple --log-interval 5
    --disable-validation --cpu --tensorboard-logdir {0}/curves"""


def train(folder: Path) -> Path:
    """Train on made-up sentences; return the folder of the event files."""
    xalign(["sample", "--out", f"{folder}/text", "--pairs", "2000"])
    xalign(shlex.split(PREPARE.format(folder)))
    options = shlex.split(TRAIN.format(folder, USER_DIR, UPDATES, UPDATES // 4))
    subprocess.run([sys.executable, "-m", "fairseq_cli.train", *options], check=True, capture_output=True)
    return folder / "curves/train_inner"


def shoot(url: str, path: Path) -> None:
    """Save a picture of a page, marked with the script that made it."""
    from PyQt6.QtCore import QTimer, QUrl
    from PyQt6.QtWebEngineWidgets import QWebEngineView
    from PyQt6.QtWidgets import QApplication

    app = QApplication(["screenshot", "--no-sandbox"])
    view = QWebEngineView()
    view.resize(WIDTH, HEIGHT)
    view.load(QUrl(url))
    view.show()
    close = "document.querySelector('[aria-label=\"Toggle settings side pane\"]').click()"

    def save() -> None:
        view.grab().save(str(path))
        with path.open("ab") as picture:
            picture.write(pictures.made_of(Path(__file__).resolve(), ()).encode())
        app.quit()

    QTimer.singleShot(SECONDS * 500, lambda: view.page().runJavaScript(close))
    QTimer.singleShot(SECONDS * 1000, save)
    app.exec()


def main() -> None:
    """Train, serve the curves, and take the picture."""
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu --no-sandbox"}
    with tempfile.TemporaryDirectory() as folder:
        events = train(Path(folder))
        command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(events.parent), "--port", str(PORT)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
            tags = "%7C".join(CURVES)
            query = f"darkMode=false&smoothing=0&runFilter=inner&tagFilter=%5E({tags})%24"
            shoot(f"http://localhost:{PORT}/?{query}#timeseries", pictures.HERE / "tensorboard.png")
            server.terminate()


if __name__ == "__main__":
    main()
