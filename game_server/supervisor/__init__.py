"""The supervisor of a machine's game server: Ray, gateways, table hosts, lease, metrics."""
