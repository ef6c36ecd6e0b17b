// The bar of actions: only what the hall offers, and cards only with verbs that take them.

import { html, useState } from "@hall/ui";
import { isCard, plain } from "./cards.js";
import { isClaim, isWeak, lineOf, needsCards, verbOf } from "./verbs.js";

const SUITS = { s: "♠", h: "♥", c: "♣", d: "♦" };

// lines: whole ones, and verbs that take the chosen cards unless `bare` names them; wordOf(line):
// a label; suited(cards): whether a claim with them must name a suit; onHint: null without advice.
export function Actions({ lines, cards, bare, suited, wordOf, onLine, onHint, pending, t }) {
  const [asking, ask] = useState(null); // a verb that still needs a suit
  if (asking && cards.length) {
    const close = (suit) => {
      ask(null);
      if (suit) onLine(lineOf(asking, cards, suit));
    };
    return html`<div id="verbs" role="group" aria-label=${t("suits")}>
      ${Object.entries(SUITS).map(([suit, sign]) => html`
        <button key=${suit} type="button" class=${`suit-${suit}`} onClick=${() => close(suit)}>${sign}</button>`)}
      <button type="button" class="weak" onClick=${() => close(null)}>${t("back")}</button>
    </div>`;
  }
  const takesCards = (line) => needsCards(line) && !bare.includes(line);
  const press = (line) => {
    if (!takesCards(line)) onLine(line);
    else if (isClaim(line) && suited(cards)) ask(line);
    else onLine(lineOf(line, cards));
  };
  return html`
    <div id="verbs" role="group" aria-label=${t("actions")}>
      ${lines.map((line) => html`
        <button key=${line} type="button" data-verb=${line} aria-busy=${String(pending === verbOf(line))}
          class=${isWeak(line) ? "weak" : ""} disabled=${takesCards(line) && cards.length === 0}
          onClick=${() => press(line)}>${wordOf(line)}</button>`)}
      ${onHint && lines.length > 0 && html`
        <button id="hint" type="button" class="weak" onClick=${onHint}>${t("hint")}</button>`}
    </div>`;
}

// "call 2" -> "Call 2"; cards in a line are shown with suits. own: the game's labels, of a
// line, of a verb in a phase ("bid:pass") or of a verb; {} stands for the rest of the line.
export function labelOf(line, words, { phase, labels: own = {} }) {
  if (own[line]) return own[line].replace("{}", "").trim();
  const verb = verbOf(line);
  const rest = line.slice(verb.length + 1).split(" ").filter(Boolean);
  const said = rest.map((one) => (isCard(one) ? plain(one) : one)).join(" ");
  const named = own[`${phase}:${verb}`] ?? own[verb] ?? words.of("verbs", verb);
  return (named.includes("{}") ? named.replace("{}", said) : `${named} ${said}`).trim();
}
