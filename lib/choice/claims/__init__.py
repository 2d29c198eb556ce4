"""The articles' claims, each recomputed live from the catalogue."""
