"""Game packages on a machine: followed and checked by one process, used by its hosts and gateways.

`keeper.py` (in the supervisor) follows the repository and decides what is offered; `shelf.py` is
the file in which it says so; `library.py` loads from it, in every process that needs games.
"""
