"""The RPCs: each is a lane, a piece of work, and how its refusal looks."""
