from support.checkpoints import encoder, old_state, roberta, tokens  # noqa: F401
