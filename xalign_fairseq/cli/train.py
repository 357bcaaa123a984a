"""Run fairseq-train with one line of progress.

Options after DATA are passed to fairseq-train unchanged. Defaults for missing ones: --user-dir this package, --task
xalign_pretraining, --criterion xlm_align, --arch that of the --init-checkpoint (otherwise xalign_base), --optimizer
xalign_adamw with a rate that falls to 0 over --max-update, --save-dir checkpoints. The learning rate, an end (such as
--max-update) and the batch size are required. Added options are printed; training.json has the full command.

The log goes to SAVE_DIR/train.log. The progress line shows updates, the loss of each objective, tokens per second,
validation AER and the time left; warnings are printed. If training fails, the end of the log is printed. The same
command continues from the last checkpoint. SIGUSR1 is passed on to fairseq-train. -v also shows the log.

Examples:
  xalign train data-bin --lr 5e-4 --warmup-updates 1000 --max-update 20000 --max-tokens 4096
  xalign train data-bin --init-checkpoint xlmr.base --criterion dwa --lr 2e-5 --max-update 2000 --batch-size 32 \\
    --validate-interval-updates 200 --save-interval-updates 200 --best-checkpoint-metric aer --save-dir run
  xalign train data-bin --criterion ppa --help        # fairseq-train's own help, with the options of all objectives
"""

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import require_package
from xalign_fairseq.core.errors import Command, XalignError
from xalign_fairseq.core.files import nearly

if TYPE_CHECKING:
    from xalign_fairseq.trainer.log_rows import LogRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help="data-bin of xalign prepare; join several with colons")
    parser.add_argument(
        "options",
        nargs=argparse.REMAINDER,
        metavar="OPTION ...",
        help="options of fairseq-train (DATA --help lists them)",
    )


def run(args: argparse.Namespace) -> int:
    from xalign_fairseq.cli._train_progress import TrainProgress
    from xalign_fairseq.core.installation import require_fairseq
    from xalign_fairseq.core.process import running
    from xalign_fairseq.trainer.checkpoint_repair import LAST
    from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN, USER_DIR, flag, train_line, value
    from xalign_fairseq.trainer.launch import FairseqTraining, run_training

    require_fairseq()
    for each in args.data.split(":"):
        if not Path(each).is_dir():
            what, found = ("is a file", None) if Path(each).is_file() else ("does not exist", nearly(each))
            remedy = ("give the folder that", Command("prepare"), "wrote")
            raise XalignError(f"the data folder {what}", where=each, found=found, remedy=remedy)
    if (user_dir := value(args.options, "user_dir")) is not None:
        require_package(user_dir)
    if {"-h", "--help"} & set(args.options):
        line = [*FAIRSEQ_TRAIN, args.data, "--user-dir", str(USER_DIR), *args.options]
        with running(line, env={**os.environ, "LOGLEVEL": "WARNING"}) as helping:
            return helping.wait()
    line, added = train_line(args.data, args.options, sizes_of)
    folder, most = Path(value(line, "save_dir") or ""), value(line, "max_update")
    say = partial(print, file=sys.stderr) if not args.quiet else lambda text: None
    say(f"fairseq-train with {' '.join(added) + ' and ' if added else ''}the options given")
    updates, began = int(most) if most and most.isdigit() else None, time.time()
    progress = TrainProgress(updates, args.quiet, args.verbose, rows_before(folder))
    try:
        with progress:
            progress.show("fairseq-train starts")
            run_training(FairseqTraining(line, folder), progress.hear, progress.write if not args.quiet else say)
    except OSError as error:  # a full disk, without a path
        error.filename = error.filename or str(folder)
        raise
    except KeyboardInterrupt:
        from xalign_fairseq.trainer.resuming import CONTINUED, continues_after

        once, file = value(line, "continue_once"), value(line, "restore_file") or LAST
        resets = {name: flag(name) in line for name in CONTINUED}
        saved = continues_after({**resets, "restore_file": file, "continue_once": once, "save_dir": folder})
        done = f"{max(saved, progress.updates):,}" + (f" of {updates:,}" if updates else "")
        then = f"continues after update {saved:,}" if saved else "starts again, as no checkpoint can continue"
        print(f"{done} updates are done; the same command {then}", file=sys.stderr)
        raise
    if not args.quiet:
        metric = value(line, "best_checkpoint_metric") or "loss"
        print(summary(folder, progress, began, metric))
    return 0


def sizes_of(checkpoint: str) -> dict[str, Any]:
    """The options for an encoder of a checkpoint's sizes."""
    from xalign_fairseq.encoder.checkpoint import encoder_config
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained

    return encoder_config(*read_pretrained(checkpoint)).as_options()


def rows_before(folder: Path) -> "list[LogRow]":
    """The log of a resumed training; empty for a new one."""
    from xalign_fairseq.trainer.checkpoint_repair import LAST
    from xalign_fairseq.trainer.launch import LOG
    from xalign_fairseq.trainer.log_rows import read_row

    log = folder / LOG
    if not ((folder / LAST).is_file() and log.is_file()):
        return []
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [row for row in map(read_row, lines) if row is not None]


def summary(folder: Any, progress: Any, began: float, metric: str) -> str:
    """The model's path, and how the training ended. The best checkpoint, by ``metric``, is rarely the last one."""
    from xalign_fairseq.encoder.checkpoint import updates_of
    from xalign_fairseq.trainer.checkpoint_repair import BEST, LAST

    model = next((path for name in (BEST, LAST) if (path := folder / name).is_file()), folder)
    last, updates = folder / LAST, progress.updates
    if not updates and last.is_file() and last.stat().st_mtime >= began:
        updates = updates_of(last) or 0
    of = updates_of(model) if model.name == BEST else None
    best = f" (best {metric}, update {of:,})" if of else ""
    nothing = f"complete after update {progress.resumed:,}" if progress.resumed else "no further update"
    found = [f"training ended at update {updates:,}" if updates else nothing]
    if progress.last is not None:
        found.append(f"training loss {progress.last.values.get('loss', float('nan')):.2f}")
    if progress.best is not None:
        found.append(f"lowest AER {100 * progress.best[0]:.2f} at update {progress.best[1]:,}")
    return f"{model}{best}: {', '.join(found)}"
