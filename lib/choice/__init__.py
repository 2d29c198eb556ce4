"""Scenarios, evidence and recommendation: composes sizing and cost."""
