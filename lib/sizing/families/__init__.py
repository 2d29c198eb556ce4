"""Model families: how each one's config.json says what its layers hold and what they keep per token."""
