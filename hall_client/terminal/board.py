"""The table as a person sees it: from a view alone, whatever the game, nothing remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hall_client.terminal import cards
from hall_client.terminal.facts import facts
from hall_client.terminal.grid import grid
from hall_client.terminal.values import Speaker
from hall_client.terminal.vocabulary import COLUMNS, ROLES, named, value
from hall_client.texts import Texts

View = Mapping[str, Any]

_GAP = Text("   ")
_LAID = ("shown", "laid", "trick")
"""Where a view has what each seat laid last; a game has one of them."""
_TEAMS = ("levels", "standing")
"""Games whose views have these are played by two teams: even seats and odd ones."""


def names(view: View, texts: Texts) -> list[str]:
    """How each seat is called; the own one is "you"."""
    out: list[str] = []
    while (key := f"@seat{len(out)}") in view:
        seat = view[key]
        own = len(out) == view.get("@you")
        out.append(texts("you") if own else seat["name"] if seat else "-")
    return out


def speaker(view: View, texts: Texts) -> Speaker:
    return Speaker(names(view, texts), texts.lang)


def board(view: View, texts: Texts, *, away: frozenset[int] = frozenset()) -> RenderableType:
    """Seats, what lies on the table, and the own cards."""
    parts: list[RenderableType] = [_seats(view, texts, away)]
    squares = grid(view)
    if squares is not None:
        parts.append(squares)
    more = facts(view, speaker(view, texts))
    if more:
        parts.append(_GAP.join(more))
    hand = view.get("hand")
    if hand:
        title = f"{texts('your_cards')} ({len(hand)})"
        parts.append(Panel(own_cards(view, texts), title=title, title_align="left"))
    return Group(*parts)


def own_cards(view: View, texts: Texts) -> Text:
    """The hand; with trumps and suit by suit where there are trumps."""
    hand = view["hand"]
    if "trump" not in view:
        return cards.show(hand, lang=texts.lang)
    groups = cards.by_suit(hand, trump=view["trump"], level=view["level"])
    return _GAP.join(cards.show(g, lang=texts.lang, in_order=True) for g in groups)


def _seats(view: View, texts: Texts, away: frozenset[int]) -> Table:
    called = names(view, texts)
    more = [key for key in COLUMNS if _by_seat(view.get(key), len(called))]
    counts, laid = view.get("counts"), any(view.get(key) for key in (*_LAID, "bids"))
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column(texts("seat"))
    if counts:
        table.add_column(texts("cards"), justify="right")
    table.add_column(texts("stake"), justify="right")
    if laid:
        table.add_column(texts("last_move"))
    for key in more:
        table.add_column(named(COLUMNS, key, texts.lang))
    to_act, teller = view.get("to_act") or (), speaker(view, texts)
    for seat in range(len(called)):
        held = view[f"@seat{seat}"]
        row: list[RenderableType] = ["▶" if seat in to_act else " "]
        row.append(_label(view, seat, called[seat], texts, gone=seat in away))
        if counts:
            row.append("" if counts[seat] is None else str(counts[seat]))
        row.append(str(held["stake"]) if held else "")
        if laid:
            row.append(_last_move(view, seat, texts))
        row += [_cell(view[key][seat], teller) for key in more]
        table.add_row(*row)
    return table


def _by_seat(values: Any, seats: int) -> bool:
    """Whether it has something to say about a seat."""
    return isinstance(values, list) and len(values) == seats and any(values)


def _cell(held: Any, teller: Speaker) -> Text:
    if held in (None, False, [], 0):
        return Text("")
    return teller.say(held)


def _label(view: View, seat: int, name: str, texts: Texts, *, gone: bool) -> Text:
    label = Text(name, style="bold" if seat == view.get("@you") else "")
    for text, style in _roles(view, seat, texts):
        label.append(f" {text}", style=style)
    if gone:
        label.append(f" ({texts('away')})", style="red")
    return label


def _roles(view: View, seat: int, texts: Texts) -> list[tuple[str, str]]:
    """Words behind a name, with their style."""
    out: list[tuple[str, str]] = []
    for key in ROLES:
        role = (named(ROLES, key, texts.lang), "yellow")
        if view.get(key) == seat and role not in out:
            out.append(role)
    if view.get("landlord") is not None and not out and "role" not in view:
        out.append((texts("farmer"), "dim"))
    own = view.get("@you", -1)
    if own >= 0 and seat != own and any(key in view for key in _TEAMS):
        out.append((texts(_side(seat - own, "standing" in view)), "dim"))
    return out


def _side(step: int, federations: bool) -> str:
    """What a seat so many steps away is to us. In Gouji (two federations of three) who sits
    across is the one opponent whose plays are ours to answer."""
    if step % 2 == 0:
        return "partner"
    return "opposite" if federations and step % 3 == 0 else "opponent"


def _last_move(view: View, seat: int, texts: Texts) -> Text:
    if view.get("phase") == "bid":
        bid = view["bids"][seat]
        if bid is None:
            return Text("")
        return Text(texts("hint_call", call=bid) if bid else texts("hint_no_call"))
    laid: Sequence[Any] = next((view[key] for key in _LAID if view.get(key)), ())
    last = laid[seat] if seat < len(laid) else None
    if last is None:
        return Text("")
    if isinstance(last, str):
        return Text(texts("hint_pass") if last == "pass" else value(last, texts.lang), style="dim")
    if last:
        return cards.show(last, lang=texts.lang)
    return Text(texts("hint_pass"), style="dim") if "laid" not in view else Text("")


def task(view: View, texts: Texts) -> str:
    """What the seat whose turn it is has to do: beat something, or lead."""
    if view.get("phase") != "play" or "table" not in view:
        return ""
    table = view["table"]
    if table is None:
        return texts("you_lead")
    laid = view.get("shown") or view.get("trick")
    on_top = table.get("cards") or (laid[table["seat"]] if laid else None) or []
    kind = table.get("kind") or ""
    shown = cards.plain(on_top, lang=texts.lang)
    return texts("to_beat", play=f"{shown} ({texts.kind(kind)})" if kind else shown)


def result(view: View, texts: Texts) -> RenderableType:
    """The end of a hand: who won what, who had what left."""
    end = view["@result"]
    own: int = view["@you"]
    deltas: Sequence[int] = end["deltas"]
    hands = view.get("hands") or [[] for _ in deltas]
    more = [key for key in ("kinds",) if _by_seat(view.get(key), len(deltas))]
    table = Table(box=None, pad_edge=False)
    for column in ("seat", "change", "stake", "left_over"):
        right = column in ("change", "stake")
        table.add_column(texts(column), justify="right" if right else "left")
    for key in more:
        table.add_column(named(COLUMNS, key, texts.lang))
    teller = speaker(view, texts)
    for seat, name in enumerate(names(view, texts)):
        held = view[f"@seat{seat}"]
        roles = " ".join(text for text, _ in _roles(view, seat, texts))
        table.add_row(
            Text(f"{name} {roles}".rstrip()),
            Text(f"{deltas[seat]:+}", style="green" if deltas[seat] > 0 else "red"),
            str(held["stake"]) if held else "",
            cards.show(hands[seat] or (), lang=texts.lang),
            *(_cell(view[key][seat], teller) for key in more),
        )
    amount = deltas[own] if 0 <= own < len(deltas) else 0
    key = "won" if amount > 0 else "lost_hand" if amount < 0 else "even"
    parts: list[RenderableType] = [Text(texts(key, amount=abs(amount)), style="bold"), table]
    said = facts(view, teller, under="result")
    if said:
        parts.append(_GAP.join(said))
    return Panel(Group(*parts), title=texts("result", hand=view["@hand"]), title_align="left")
