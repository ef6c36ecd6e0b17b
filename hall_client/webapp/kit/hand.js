// The own hand. A swipe that begins on a card that is not chosen chooses all it crosses, one
// that begins on a chosen card drops them; it never inverts. The same for mouse and touch.

import { html, useRef } from "@hall/ui";
import { HandCard } from "./cards.js";

const ROW_MOST = 18; // more cards than this lie in two rows

const cardAt = (event) => {
  const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-at]");
  return found ? Number(found.dataset.at) : -1;
};

// Between two cards that a quick finger jumped over, all others are crossed, too.
function crossed(from, to) {
  const [low, high] = from < to ? [from, to] : [to, from];
  return Array.from({ length: high - low + 1 }, (_, n) => low + n);
}

// hand: names in the order shown; chosen: a Set of positions; onChosen(new Set).
export function Hand({ hand, chosen, locale, label, onChosen }) {
  const swipe = useRef(null);

  const set = (positions, on) => {
    const next = new Set(chosen);
    for (const at of positions) {
      if (on) next.add(at);
      else next.delete(at);
    }
    onChosen(next);
  };
  const down = (event) => {
    const at = cardAt(event);
    if (at < 0 || event.button > 0) return;
    swipe.current = { on: !chosen.has(at), last: at };
    set([at], swipe.current.on);
  };
  const move = (event) => {
    const at = swipe.current ? cardAt(event) : -1;
    if (at < 0 || at === swipe.current.last) return;
    set(crossed(swipe.current.last, at), swipe.current.on);
    swipe.current.last = at;
  };
  const up = () => {
    swipe.current = null;
  };
  // A keyboard's click has no pointer behind it (detail 0); a pointer's was handled above.
  const key = (at) => (event) => event.detail === 0 && set([at], !chosen.has(at));

  const rows = hand.length > ROW_MOST ? 2 : 1;
  const half = Math.ceil(hand.length / rows);
  const row = (from, to) => html`
    <div class="row" key=${from}>
      ${hand.slice(from, to).map((name, n) => html`
        <div class="slot" key=${`${name}.${from + n}`}>
          <${HandCard} name=${name} at=${from + n} locale=${locale}
            chosen=${chosen.has(from + n)} onKey=${key(from + n)} />
        </div>`)}
    </div>`;
  return html`
    <div id="cards" class="hand" role="group" aria-label=${label} onPointerDown=${down}
      onPointerMove=${move} onPointerUp=${up} onPointerCancel=${up} onPointerLeave=${up}>
      ${rows === 1 ? row(0, hand.length) : [row(0, half), row(half, hand.length)]}
    </div>`;
}
