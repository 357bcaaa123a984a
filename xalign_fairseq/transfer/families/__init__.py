"""The families of transfer tasks: how examples become windows of tokens, and hidden states losses and predictions."""
