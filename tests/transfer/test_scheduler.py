import signal
import sys
import threading

import pytest
from support.processes import is_alive, wait_for

from xalign_fairseq.core.devices import cores
from xalign_fairseq.core.signals import Requeued
from xalign_fairseq.transfer.scheduler import Job, run_jobs, share


def job(folder, name, code):
    """A job that runs Python code."""
    return Job(name, [sys.executable, "-c", code], folder / f"{name}.log")


def test_all_jobs_run_and_a_failed_one_stops_none(tmp_path):
    jobs = [job(tmp_path, f"j{i}", f"print('hello {i}'); raise SystemExit({7 if i == 1 else 0})") for i in range(4)]
    ended = list(run_jobs(jobs, 2))
    assert {each.job.name: each.code for each in ended} == {"j0": 0, "j1": 7, "j2": 0, "j3": 0}
    assert [each.left for each in ended] == [3, 2, 1, 0]
    assert (tmp_path / "j1.log").read_text() == "hello 1\n"


def test_no_more_jobs_than_slots_run_at_a_time(tmp_path):
    # Each job records how many jobs there are, itself included; the first waits for another one.
    here = tmp_path / "here"
    here.mkdir()
    code = f"""
import os, time
until, most = time.monotonic() + 60, 0
open(own := f"{here}/{{os.getpid()}}", "w").close()
while most < LEAST and time.monotonic() < until:
    most = max(most, len(os.listdir({str(here)!r})))
time.sleep(.15)
print(max(most, len(os.listdir({str(here)!r}))))
os.remove(own)
"""
    jobs = [job(tmp_path, f"j{i}", code.replace("LEAST", "1" if i else "2")) for i in range(5)]
    assert all(each.code == 0 for each in run_jobs(jobs, 2))
    found = [int((tmp_path / f"j{i}.log").read_text()) for i in range(5)]
    assert found[0] == max(found) == 2


def test_the_slots_share_the_cores_and_have_a_gpu_each(tmp_path, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    code = "import os; print(os.environ['OMP_NUM_THREADS'], os.environ['CUDA_VISIBLE_DEVICES'])"
    jobs = [job(tmp_path, f"j{i}", code + "; import time; time.sleep(.2)") for i in range(3)]
    list(run_jobs(jobs, 3, share(3, ["4", "6"])))
    threads = max(1, cores() // 3)
    assert [(tmp_path / f"j{i}.log").read_text() for i in range(3)] == [f"{threads} {g}\n" for g in (4, 6, 4)]
    assert share(1, [])(0) == {"OMP_NUM_THREADS": str(cores())}
    assert share(10_000, [])(0) == {"OMP_NUM_THREADS": "1"}
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert share(1, [])(0) == {"OMP_NUM_THREADS": "5"}


def test_leaving_early_ends_jobs_and_their_children(tmp_path):
    child = "import os, time; open('child', 'w').write(str(os.getpid())); os.rename('child', 'ready'); time.sleep(60)"
    code = (
        f"import os, subprocess, sys, time; os.chdir({str(tmp_path)!r}); "
        f"subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    )
    jobs = [job(tmp_path, "long", code), job(tmp_path, "never", "open('never', 'w')"), job(tmp_path, "short", "")]
    running = run_jobs([jobs[0], jobs[2], jobs[1]], 2)
    assert next(running).job.name == "short"
    wait_for((tmp_path / "ready").exists)
    pid = int((tmp_path / "ready").read_text())
    assert is_alive(pid)
    running.close()  # like an exception such as KeyboardInterrupt in the loop's body
    wait_for(lambda: not is_alive(pid))
    assert not (tmp_path / "never").exists()


def test_a_crashed_job_leaves_no_child_behind(tmp_path):
    code = (
        "import os, subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
        "print(p.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    (ended,) = run_jobs([job(tmp_path, "crash", code)], 1)
    assert ended.code == -9
    wait_for(lambda: not is_alive(int((tmp_path / "crash.log").read_text())))


def test_sigusr1_reaches_the_jobs_and_no_new_job_starts(tmp_path):
    code = (
        "import signal, sys, time; signal.signal(signal.SIGUSR1, lambda *_: sys.exit(75)); "
        f"open({str(tmp_path / 'ready')!r}, 'w'); time.sleep(60)"
    )
    jobs = [job(tmp_path, "short", ""), job(tmp_path, "long", code), job(tmp_path, "never", "open('never', 'w')")]
    running = run_jobs(jobs, 1)
    assert next(running).job.name == "short"
    threading.Thread(
        target=lambda: (wait_for((tmp_path / "ready").exists), signal.raise_signal(signal.SIGUSR1))
    ).start()
    with pytest.raises(Requeued):
        next(running)
    assert not (tmp_path / "never.log").exists()
