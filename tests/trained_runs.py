"""What fairseq-train writes at its beginning, in short."""

CONFIGURATION = {
    "_name": None,
    "common": {"_name": None, "seed": 3, "bf16": True, "aim_repo": None},
    "task": {"_name": "xalign_pretraining", "data": "data-bin"},
    "criterion": {
        "_name": "xlm_align", "objectives": "mlm,dwa", "mlm_weight": 1.0, "dwa_weight": 0.5, "dwa_layer": -1,
        "dict_mlm_weight": 1.0, "dict_mlm_prob": 0.5, "loss_normalization": "joint",
    },
    "model": {"_name": "xalign_tiny", "encoder_layers": 2, "encoder_embed_dim": 32, "encoder_attention_heads": 2},
    "optimization": {"max_update": 40, "lr": [0.002], "update_freq": [1]},
    "dataset": {"batch_size": None, "max_tokens": 1000},
    "checkpoint": {"restore_file": "checkpoint_last.pt"},
    "generation": {"beam": 5},
}  # fmt: skip
