"""A synchronous grammar of English with German, French and Russian, whose word links are exact by construction."""
