"""What the scripts of the recipes share; each of them puts this folder's parent on its path."""
