"""Plotly figures as plain dicts: a dict costs a microsecond, a graph object milliseconds."""
