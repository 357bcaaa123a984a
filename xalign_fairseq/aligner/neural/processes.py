"""Align one stream of pairs in several processes, with the alignments in order."""

import logging
import math
import multiprocessing
import operator
import pickle
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, TypeVar

from xalign_fairseq.aligner.protocol import Progress, SentencePair, WordAligner
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.process import exit_text
from xalign_fairseq.core.signals import blocked_interrupts
from xalign_fairseq.core.text.pairs import WordPair, chunks, ready
from xalign_fairseq.core.workers import follow_parent
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens

if TYPE_CHECKING:
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.protocol import Alignment

# Pairs that a worker gets at once: enough to sort into batches of similar lengths, but few enough to save memory and
# to let all workers finish at about the same time.
MOST_PAIRS, FEWEST_PAIRS = 512, 16
CHUNKS_PER_WORKER = 4
# Chunks that each worker gets before its first is done.
AHEAD = 2

Answer = TypeVar("Answer")
Task = Callable[["Aligner"], Answer]
Load = Callable[..., "Aligner"]  # makes an aligner for a ``device`` in a worker; must be picklable


class AlignerPool(WordAligner):
    """Aligners in separate processes, one per device: same links and order as with one aligner.

    Probabilities may differ in their last digits, because chunks, and so batches, have other sizes.

    Each process has one thread. Float32 weights that ``load`` maps from a file are in memory once for all processes.
    Processes are spawned: a script that makes a pool needs ``if __name__ == "__main__":``.

    Errors of ``load`` and of aligners are raised in the caller; a killed process raises :class:`XalignError`. One call
    at a time uses the processes: a call during another one, in any thread, raises :class:`XalignError`.

    Example::

        with load_aligner("checkpoint_best.pt", device="cpu", processes=4) as pool:
            for alignment in pool.stream(SentencePairs("test.en", "test.de")):
                ...
    """

    def __init__(self, load: Load, devices: Sequence[str]):
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        try:
            with blocked_interrupts():
                self._workers += [_Worker(load, device, number) for number, device in enumerate(devices)]
            for worker in self._workers:
                worker.receive()  # wait until it has loaded
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the processes at once."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers = []

    def ask(self, task: Task[Answer]) -> Answer:
        """The result of a picklable function of the first aligner."""
        with self._turn():
            self._workers[0].send(task)
            answer: Answer = self._workers[0].receive()
            return answer

    def unknown(self) -> UnknownTokens:
        counted = UnknownTokens()
        with self._turn():
            for worker in self._workers:
                worker.send(operator.methodcaller("unknown"))
            for worker in self._workers:
                counted.add(worker.receive())
        return counted

    def describe(self) -> str:
        return f"{self.ask(operator.methodcaller('describe'))}, {len(self._workers)} processes"

    def signature(self) -> str:
        return str(self.ask(operator.methodcaller("signature")))

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator["Alignment"]:
        """Align pairs in order; leaving the stream early closes the pool."""
        with self._turn():
            yield from self._stream(pairs, progress, matrices)

    def _stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None, matrices: bool
    ) -> Iterator["Alignment"]:
        # A chunk is small enough that short texts occupy all workers; the hint is 0 if the number is unknown.
        share = math.ceil(operator.length_hint(pairs) / (CHUNKS_PER_WORKER * len(self._workers))) or MOST_PAIRS
        numbered = enumerate(chunks(pairs, min(MOST_PAIRS, max(FEWEST_PAIRS, share))))
        idle, busy = list(self._workers), dict[object, tuple[_Worker, int]]()
        done: dict[int, list[Alignment]] = {}
        given, following, ended = 0, 0, False
        while not ended or busy or done:
            # If answers are ready, yield them instead of waiting for a pair that has not been written yet.
            while (
                idle
                and not ended
                and given < following + AHEAD * len(self._workers)
                and (ready(pairs) or not (busy or done))
            ):
                number, chunk = next(numbered, (given, []))
                ended = not chunk
                if chunk:
                    worker = idle.pop()
                    worker.send(partial(_align, pairs=chunk, matrices=matrices))
                    busy[worker.connection] = worker, number
                    given += 1
            # Give the workers more to do before yielding finished answers.
            while following in done:
                yield from done.pop(following)
                following += 1
            for connection in wait([worker.connection for worker, _ in busy.values()]) if busy else ():
                worker, number = busy.pop(connection)
                done[number] = worker.receive()
                idle.append(worker)
                if progress:
                    progress(len(done[number]))

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One call at a time uses the pipes, and leaves no answer in them."""
        if not self._lock.acquire(blocking=False):
            remedy = "wait until it ends, or make a pool for each thread"
            raise XalignError("the pool of aligners is in use by another call", remedy=remedy)
        try:
            if not self._workers:
                raise XalignError("the pool of aligners is closed", remedy="make another one")
            yield
        except BaseException as error:
            # After an interrupt, or if a stream is left, do not wait.
            if not (isinstance(error, Exception) and self._discard_answers()):
                self.close()
            raise
        finally:
            self._lock.release()

    def _discard_answers(self) -> bool:
        """Wait for the processes after an error; False if one was killed, or if another interrupt came."""
        try:
            for worker in self._workers:
                worker.discard()
        except BaseException:
            return False
        return all(worker.process.is_alive() for worker in self._workers)


class _Worker:
    """A process that answers one task at a time with the function's value or its error."""

    def __init__(self, load: Load, device: str, number: int):
        context = multiprocessing.get_context("spawn")  # CUDA can't be used in a fork
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, load, device, number), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe closes when the process ends
        self._due = 1  # answers: the first says that the aligner is loaded

    def send(self, task: Task[Any]) -> None:
        try:
            self.connection.send(task)
        except OSError:
            raise self._lost() from None
        self._due += 1

    def receive(self) -> Any:
        value, error = self._answer()
        if error is not None:
            raise error
        return value

    def discard(self) -> None:
        """Wait until all answers have arrived."""
        while self._due:
            self._answer()

    def _answer(self) -> tuple[Any, Exception | None]:
        self._due -= 1
        try:
            answer: tuple[Any, Exception | None] = self.connection.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        return answer

    def _lost(self) -> XalignError:
        self.process.join()
        return XalignError(
            "a worker process was killed",
            found=exit_text(self.process.exitcode or 0),
            remedy=("use fewer", Parameter("processes"), "or smaller", Parameter("batch_tokens")),
        )


def _serve(connection: Connection, load: Load, device: str, number: int) -> None:
    """Load the aligner and answer tasks until the parent ends the process; if loading fails, send only the error."""
    follow_parent()
    import torch

    torch.set_num_threads(1)
    try:
        if number:  # every process loads the model: log it only once
            logging.disable(logging.WARNING)
        aligner = load(device=device)
    except Exception as error:
        connection.send((None, _sendable(error)))
        return
    logging.disable(logging.NOTSET)
    connection.send((None, None))
    while True:
        try:
            connection.send((connection.recv()(aligner), None))
        except EOFError:  # the parent has ended
            return
        except Exception as error:
            connection.send((None, _sendable(error)))


def _align(aligner: "Aligner", pairs: list[WordPair], matrices: bool) -> list["Alignment"]:
    return list(aligner.stream(pairs, matrices=matrices))


def _sendable(error: Exception) -> Exception:
    """The error with its traceback as a note; as text if the error can't be pickled."""
    text = "".join(traceback.format_exception(error))
    error.add_note(f"in a worker process:\n{text}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(text)
    return error
