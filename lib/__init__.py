"""Accelerator Ledger: sizing, cost and choice of AI accelerators, from sourced facts."""
