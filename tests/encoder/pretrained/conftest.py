from roberta_checkpoints import old_state, roberta, tokens  # noqa: F401
