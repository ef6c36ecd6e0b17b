"""Who is asked about the top play, and who may yield or burn (specification, sections 4 to 6).

`queue` holds the seats that are still to be asked, in order; the leader of a new trick is its
only member. After a dead play `window` is set, and only the seat asked may burn or pass.
"""

from __future__ import annotations

from games.gouji.actions import SEATS
from games.gouji.opening import Opening
from games.gouji.plays import Reading
from games.gouji.seats import after, burn_order, opposite


class Asking(Opening):
    """Questions of the phase play; what is done is in `trick`."""

    __slots__ = ()

    # ---- what a rule set decides -----------------------------------------------------------

    reentry = True
    """过牌: who passed may still answer plain plays of its opposite."""

    def _ends_at_once(self, reading: Reading) -> bool:
        """Whether nobody is asked about such a play, not even for a burn."""
        raise NotImplementedError

    def _second_call(self) -> bool:
        """Whether the opposite, who passed early, is asked again at the end."""
        raise NotImplementedError

    # ---- seats -----------------------------------------------------------------------------

    def has_credit(self, seat: int) -> bool:
        """Whether the next threshold play of this seat is dead."""
        return self.credits > 0 and seat == opposite(self.revolution or 0)

    def headless(self, seat: int) -> bool:
        return not self.active(opposite(seat)) and not self.has_credit(seat)

    # ---- out of the usual order --------------------------------------------------------------

    def may_burn(self) -> int:
        """Mask of the seats that the rules let burn the top play, whatever they hold."""
        top, seat = self.top, self.top_seat
        if top is None or seat is None or not top.gouji or self.melee():
            return 0
        across = opposite(seat)
        if not self.dead and not self.active(across):
            return 0
        barred = self.inactive | self.passed | 1 << seat | 1 << across
        return sum(1 << s for s in range(SEATS) if not barred >> s & 1 and not self.headless(s))

    def may_yield(self, seat: int) -> bool:
        """The opposite of a plain play, before it has passed and before others are asked."""
        return (
            self.top is not None
            and not self.top.gouji
            and seat == opposite(self.top_seat or 0)
            and not self.passed >> seat & 1
            and self.yielded is None
            and len(self.queue) > 1
            and not self.melee()
        )

    # ---- who is asked ----------------------------------------------------------------------

    def _ask(self) -> None:
        """The queue for the top play that was just laid."""
        top, seat = self.top, self.top_seat
        assert top is not None and seat is not None
        self.queue = []
        if self._ends_at_once(top):
            return
        if self.dead:
            if not self.melee():
                self.window = burn_order(seat)
                self._ask_burner()
            return
        across = opposite(seat)
        order = [s for s in after(seat) if self.active(s)]
        if self.melee():
            self.queue = [s for s in order if not self.out >> s & 1]
        elif self.by_yielder:
            self.queue = [s for s in order if s == across]
        elif top.gouji and self.active(across):
            self.queue = [
                s for s in order if s == across or (self.headless(s) and not self.passed >> s & 1)
            ]
        else:
            self.queue = [
                s
                for s in order
                if (not self.passed >> s & 1 or (self.reentry and s == across))
                and not (top.gouji and self.has_credit(s))
            ]

    def _ask_burner(self) -> None:
        """The next seat that may burn the dead play and holds cards for it."""
        assert self.window is not None and self.top is not None
        may = self.may_burn()
        self.queue = []
        while self.window:
            seat, *self.window = self.window
            holds = self.finder.can_beat(self.hands[seat], self.top, bie_san=self.bie_san)
            if may >> seat & 1 and holds:
                self.queue = [seat]
                break
        self.tells = len(self._log)
