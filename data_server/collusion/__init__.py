"""Signals of collusion between two players, from the records of finished hands.

Pure: hands in, suspicions out. A suspicion is a reason to look, never a penalty.

* `hands.py` reads what matters out of a record;
* `tails.py` has the chances;
* `meetings.py`, `flow.py` and `soft_play.py` each ask one question about a pair;
* `suspects.py` asks them about all pairs and lists those that more than one answer points at.
"""
