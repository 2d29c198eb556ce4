"""Results as figures, words and files. Draws, never computes."""
