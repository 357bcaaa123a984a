"""Text as files: plain, compressed or within others, checked once and read in parts by any process."""
