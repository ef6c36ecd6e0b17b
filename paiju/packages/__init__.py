"""Game packages as files: one reproducible archive per version, and how its code is loaded.

Shared by the data server, which keeps and signs them, by game servers and by authors' tools.
Signed code runs with the rights of the process that loads it: the checks here find mistakes,
they are no sandbox.
"""
