"""`paiju chaos`: a whole hall on this machine, bots that play, and things killed under them.

`command.py` is what is typed, `run.py` one run, `figures.py` what came of it and whether it
was promised. `scenarios.py` names the scenarios; each is a class of `scenario.py` in a module
of its own. Nothing is asked of the servers about what happened: lost and doubled actions come
from the clients' logs against the records in the database, the books from plain SQL.
"""
