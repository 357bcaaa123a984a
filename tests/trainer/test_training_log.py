from xalign_fairseq.trainer.training_log import TrainingCost, read_cost

INTERVAL = "epoch 001: loss=9, wps=1, wpb=4000.5, bsz=9, num_updates=20, lr=0.1\n"
GPUS = "rank   0: capabilities = 9.0 ; name = Fast GPU   \nrank   1: capabilities = 9.0 ; name = Fast GPU   \n"


def test_updates_tokens_and_minutes_of_a_run_that_was_resumed(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(
        "cfg | {'data': '/somewhere'}\n"
        + INTERVAL
        + "epoch 001 | loss 9 | wps 1 | wpb 3000.5 | bsz 9 | num_updates 30 | lr 0.1 | gnorm 1\n"
        "epoch 001 | valid on 'valid' subset | loss 9 | wpb 9 | num_updates 30 | best_loss 9\n"
        "epoch 002 | loss 9 | wps 1 | wpb 2000 | bsz 9 | num_updates 35 | lr 0 | gnorm 1\n"
        "epoch 002 | loss 9 | wps 1 | wpb 2000 | bsz 9 | num_updates 35 | lr 0 | gnorm 1\n"  # again
        "done training in 90.0 seconds\ndone training in 30.0 seconds\n"
    )
    # all updates, though the last interval that was logged ends with update 20
    assert read_cost(log) == TrainingCost(updates=35, tokens=30 * 3000.5 + 5 * 2000, minutes=2.0, gpus=())


def test_gpus_are_counted_once(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(GPUS + INTERVAL + GPUS)
    assert read_cost(log) == TrainingCost(updates=0, tokens=0, minutes=0.0, gpus=("Fast GPU", "Fast GPU"))
