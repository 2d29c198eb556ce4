"""Memory, layouts and throughput of one deployment."""
