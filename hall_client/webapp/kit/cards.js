// Cards: names as the rules write them ("Td", "BJ"), drawn and spoken.

import { html } from "@hall/ui";

const SUITS = { s: "♠", h: "♥", c: "♣", d: "♦" };
const RANKS = "3456789TJQKA2";
const SUIT_ORDER = "dchs";
const SPOKEN = {
  en: { s: "spades", h: "hearts", c: "clubs", d: "diamonds", BJ: "black joker", RJ: "red joker",
    A: "ace", K: "king", Q: "queen", J: "jack", T: "10" },
  zh: { s: "黑桃", h: "红桃", c: "梅花", d: "方块", BJ: "小王", RJ: "大王" },
};

export const isCard = (name) =>
  typeof name === "string" && (name === "BJ" || name === "RJ" || /^[2-9TJQKA][shcd]$/.test(name));

export const isJoker = (name) => name === "BJ" || name === "RJ";
export const rankOf = (name) => (isJoker(name) ? name : name[0]);
export const suitOf = (name) => (isJoker(name) ? null : name[1]);
export const isRed = (name) => name === "RJ" || (!isJoker(name) && "hd".includes(name[1]));

const rankText = (name) => (name[0] === "T" ? "10" : name[0]);

// What a screen reader says.
export function spoken(name, locale) {
  const words = SPOKEN[locale];
  if (isJoker(name)) return words[name];
  const rank = words[name[0]] ?? name[0];
  return locale === "zh" ? words[name[1]] + rank.replace("T", "10") : `${rank} of ${words[name[1]]}`;
}

// A short text, for lines of words.
export const plain = (name) =>
  name === "BJ" ? "🃟" : name === "RJ" ? "🃏" : `${rankText(name)}${SUITS[name[1]]}`;

// Strength in shedding games: 3 low, 2 high, jokers above; suits in a fixed order.
function weight(name) {
  if (isJoker(name)) return name === "BJ" ? 60 : 61;
  return RANKS.indexOf(name[0]) * 4 + SUIT_ORDER.indexOf(name[1]);
}

export const byRank = (a, b) => weight(b) - weight(a);

// Trumps first (jokers, level cards, the trump suit), then suit by suit; colours alternate.
export function bySuit(trump, level) {
  const order = "shcd";
  const trumpRank = (name) => {
    if (isJoker(name)) return weight(name) + 200;
    if (name[0] === level) return 150 + (name[1] === trump ? 10 : 0) + SUIT_ORDER.indexOf(name[1]);
    return name[1] === trump ? 100 + weight(name) / 4 : 0;
  };
  return (a, b) => {
    const [x, y] = [trumpRank(a), trumpRank(b)];
    if (x || y) return y - x;
    return order.indexOf(a[1]) - order.indexOf(b[1]) || weight(b) - weight(a);
  };
}

const face = (name) =>
  isJoker(name)
    ? html`<span class="index joker">${name === "RJ" ? "JOKER" : "joker"}</span>
        <span class="pip">${name === "RJ" ? "🃏" : "🂿"}</span>`
    : html`<span class=${name[0] === "T" ? "index ten" : "index"}>${rankText(name)}<i>${SUITS[name[1]]}\uFE0E</i></span>
        <span class="pip">${SUITS[name[1]]}\uFE0E</span>`;

const classOf = (name, more = "") => `card ${isRed(name) ? "red" : "black"} suit-${suitOf(name) ?? name} ${more}`;

// A card that lies on the table.
export const Card = ({ name, locale }) => html`
  <span class=${classOf(name)} role="img" aria-label=${spoken(name, locale)}>${face(name)}</span>`;

export const Cards = ({ names, locale, label }) => html`
  <span class="laid" role="group" aria-label=${label}>
    ${names.map((name, at) => html`<${Card} key=${`${name}.${at}`} name=${name} locale=${locale} />`)}
  </span>`;

// A card in the hand: a button that is pressed when chosen.
export const HandCard = ({ name, locale, chosen, at, onKey }) => html`
  <button type="button" class=${classOf(name)} data-card=${name} data-at=${at}
    aria-pressed=${String(chosen)} aria-label=${spoken(name, locale)} onClick=${onKey}>
    ${face(name)}
  </button>`;
