"""A synchronous grammar of English with German and French, whose word links are exact by construction."""
