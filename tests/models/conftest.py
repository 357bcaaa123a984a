from support.checkpoints import old_state, roberta, tokens  # noqa: F401
