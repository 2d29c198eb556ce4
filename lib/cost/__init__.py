"""Cash flows and unit costs over the life of a deployment."""
