"""From options to the remaining runs, and making them."""

import pytest
from support.transfer_data import STUDY

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.plan import TransferOptions, make_plan
from xalign_fairseq.transfer.runs import Job
from xalign_fairseq.transfer.scheduler import Finished


@pytest.fixture
def options(folder, transfer_encoder, tmp_path):
    """The study of pairs with one encoder."""
    (folder / "study.yaml").write_text(STUDY)
    return TransferOptions({"enc": str(transfer_encoder)}, tmp_path / "out", str(folder / "study.yaml"), cpu=True)


def changed(options, **changes):
    return TransferOptions(**{**vars(options), **changes})


def test_a_plan_has_every_run_and_its_command(options):
    plan = make_plan(options, dry=True)
    assert [spec.name for spec in plan.specs] == ["enc/pairs/en/3", "enc/pairs/en/1"] == list(plan.commands())
    assert plan.lines()[-1] == "2 runs, 0 of them done" and not options.out.exists()
    assert all(f"--save-dir {options.out}/runs/{name}" in line for name, line in plan.commands().items())
    assert [spec.seed for spec in make_plan(changed(options, seeds=[7]), dry=True).specs] == [7]


def test_runs_that_are_left_are_made_and_reported(options, monkeypatch):
    made = []

    def run_jobs(jobs, slots, environment):
        for left, job in ((1, jobs[0]), (0, jobs[1])):
            made.append(job.name)
            folder = job.log.parent
            if left:
                text = '{"scores": {"en": {"accuracy": 0.5}}, "items": {"en": 5, "de": 4}}'
                (folder / "result.json").write_text(text)
            yield Finished(job, 0 if left else 3, left)

    monkeypatch.setattr("xalign_fairseq.transfer.plan.run_jobs", run_jobs)
    first, second = make_plan(options).run()
    assert (first.name, first.code, first.left, first.scores) == ("enc/pairs/en/3", 0, 1, "en accuracy 50.0")
    assert (second.code, second.left, second.scores) == (3, 0, "") and isinstance(second.log, type(options.out))
    assert made == [first.name, second.name] and isinstance(Job, type)


@pytest.mark.parametrize(
    ("changes", "parameters", "message"),
    [
        ({"jobs": 0}, ("jobs",), "at least one job"),
        ({"models": {"a/b": "x.pt"}}, ("model",), "cannot be a folder name"),
        ({"tasks": ["pair"]}, ("tasks",), "no such task"),
        ({"languages": ["fr"]}, ("languages",), "no task is tested"),
        ({"seeds": [1, 1]}, ("seeds",), "seeds can't be used"),
        ({"study": None}, ("study", "data", "languages"), "the data and the languages must be given"),
    ],
)
def test_mistakes_name_their_parameter(options, changes, parameters, message):
    with pytest.raises(XalignError, match=message) as caught:
        make_plan(changed(options, **changes))
    assert caught.value.parameters == parameters and not options.out.exists()
