import paiju  # noqa: F401  # before gRPC: it says why
