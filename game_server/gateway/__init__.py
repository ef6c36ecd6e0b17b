"""The gateway: players' connections on one side, table hosts and data server on the other.

It owns nothing that matters. `session.py` is the core without I/O, `gateway.py` its shell,
`grpc_edge.py` the edge; `python -m game_server.gateway` runs it.
"""
