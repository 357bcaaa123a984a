"""Text files: plain, compressed or in containers; checked once and read in parts by any process."""
