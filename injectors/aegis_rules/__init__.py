"""An injector that alters text by rules: deterministic, offline."""
