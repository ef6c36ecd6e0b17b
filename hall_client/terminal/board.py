"""The table as a person sees it: from a view alone, nothing remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hall_client.terminal import cards
from hall_client.texts import Texts

View = Mapping[str, Any]


def names(view: View, texts: Texts) -> list[str]:
    """How each seat is called; the own one is "you"."""
    out: list[str] = []
    while (key := f"@seat{len(out)}") in view:
        seat = view[key]
        own = len(out) == view.get("@you")
        out.append(texts("you") if own else seat["name"] if seat else "-")
    return out


def board(view: View, texts: Texts, *, away: frozenset[int] = frozenset()) -> RenderableType:
    """Seats, what lies on the table, and the own cards."""
    parts: list[RenderableType] = [_seats(view, texts, away)]
    if view.get("counts"):
        parts.append(_middle(view, texts))
    hand = view.get("hand")
    if hand:
        shown = cards.show(hand, lang=texts.lang)
        parts.append(Panel(shown, title=f"{texts('your_cards')} ({len(hand)})", title_align="left"))
    return Group(*parts)


def _seats(view: View, texts: Texts, away: frozenset[int]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("", "seat", "cards", "stake", "last_move"):
        right = column in ("cards", "stake")
        table.add_column(texts(column) if column else "", justify="right" if right else "left")
    counts = view.get("counts") or [""] * 8
    to_act = view.get("to_act") or ()
    for seat, name in enumerate(names(view, texts)):
        held = view[f"@seat{seat}"]
        label = Text(name, style="bold" if seat == view.get("@you") else "")
        role = _role(view, seat, texts)
        if role:
            label.append(f" {role}", style="yellow" if seat == view["landlord"] else "dim")
        if seat in away:
            label.append(f" ({texts('away')})", style="red")
        table.add_row(
            "▶" if seat in to_act else " ",
            label,
            str(counts[seat]),
            str(held["stake"]) if held else "",
            _last_move(view, seat, texts),
        )
    return table


def _role(view: View, seat: int, texts: Texts) -> str:
    landlord = view.get("landlord")
    if landlord is None:
        return ""
    return texts("landlord") if seat == landlord else texts("farmer")


def _last_move(view: View, seat: int, texts: Texts) -> Text:
    if view.get("phase") == "bid":
        bid = view["bids"][seat]
        if bid is None:
            return Text("")
        return Text(texts("hint_call", call=bid) if bid else texts("hint_no_call"))
    shown = (view.get("shown") or [None] * 8)[seat]
    if shown is None:
        return Text("")
    return cards.show(shown, lang=texts.lang) if shown else Text(texts("hint_pass"), style="dim")


def _middle(view: View, texts: Texts) -> Text:
    out = Text()
    if view.get("bottom"):
        out.append(texts("bottom") + " ")
        out.append_text(cards.show(view["bottom"], lang=texts.lang))
        out.append("   ")
    if view.get("base"):
        out.append(texts("base", base=view["base"], multiplier=view["multiplier"]), style="dim")
    return out


def task(view: View, texts: Texts) -> str:
    """What the seat whose turn it is has to do: beat something, or lead."""
    table = view.get("table")
    if view.get("phase") != "play":
        return ""
    if table is None:
        return texts("you_lead")
    shown = view["shown"][table["seat"]] or []
    play = f"{cards.plain(shown, lang=texts.lang)} ({texts.kind(table['kind'])})"
    return texts("to_beat", play=play)


def result(view: View, texts: Texts) -> RenderableType:
    """The end of a hand: who won what, who had what left."""
    end = view["@result"]
    own: int = view["@you"]
    deltas: Sequence[int] = end["deltas"]
    table = Table(box=None, pad_edge=False)
    for column in ("seat", "change", "stake", "left_over"):
        right = column in ("change", "stake")
        table.add_column(texts(column), justify="right" if right else "left")
    hands = view.get("hands") or [[] for _ in deltas]
    for seat, name in enumerate(names(view, texts)):
        held = view[f"@seat{seat}"]
        role = _role(view, seat, texts)
        table.add_row(
            Text(f"{name} {role}".rstrip()),
            Text(f"{deltas[seat]:+}", style="green" if deltas[seat] > 0 else "red"),
            str(held["stake"]) if held else "",
            cards.show(hands[seat], lang=texts.lang),
        )
    amount = deltas[own] if 0 <= own < len(deltas) else 0
    key = "won" if amount > 0 else "lost_hand" if amount < 0 else "even"
    title = texts("result", hand=view["@hand"])
    return Panel(
        Group(Text(texts(key, amount=abs(amount)), style="bold"), table),
        title=title,
        title_align="left",
    )
