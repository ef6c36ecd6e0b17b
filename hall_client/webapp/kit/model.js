// A view of any game as what the board draws: seats, the middle, the hand, what may be done.

import { byRank, bySuit, isCard } from "./cards.js";
import { facts, Speaker } from "./facts.js";

const LAID = ["shown", "laid", "trick"]; // where a view has what each seat laid last
const MIDDLE = ["bottom", "turned_up", "posts", "turned"]; // cards that lie in the middle
const HANDS = ["hands", "open_hands", "known", "open"]; // cards of others that are seen

export function seatCount(view) {
  let count = 0;
  while (`@seat${count}` in view) count += 1;
  return count;
}

// options: { order: (view) => comparator or null, hide: keys that are no facts for people }
export function modelOf(view, { words, t, away = [], clocks = [], order, hide = [] }) {
  const count = seatCount(view);
  const own = view["@you"] >= 0 ? view["@you"] : null;
  const held = Array.from({ length: count }, (_, n) => view[`@seat${n}`]);
  const names = held.map((seat, n) => (n === own ? t("you") : seat?.name ?? t("free")));
  const speaker = new Speaker(words, names);
  const playing = view["@phase"] === "playing";
  const acts = playing ? view.to_act ?? [] : [];
  const at = { view, words, t, speaker, own, playing };
  const seats = held.map((seat, n) => ({
    number: n,
    own: n === own,
    empty: !seat,
    name: names[n],
    stake: seat?.stake ?? null,
    ready: !playing && Boolean(seat?.ready),
    away: away.includes(n),
    leaving: Boolean(seat?.leaving),
    acts: acts.includes(n),
    clock: clocks.find((clock) => clock.seat === n) ?? null,
    count: view.counts?.[n] ?? null,
    roles: rolesOf(at, n),
    notes: notesOf(at, n),
    laid: laidOf(at, n),
    seen: seenOf(view, n, own),
  }));
  const middle = MIDDLE.filter((key) => view[key]?.length && view[key].every(isCard));
  return {
    own,
    playing,
    seats,
    speaker,
    phase: view.phase ?? "",
    mine: own !== null && acts.includes(own),
    acts,
    middle: middle.map((key) => ({ key, label: words.of("facts", key), cards: view[key] })),
    facts: playing || view["@result"] ? facts(view, speaker, new Set([...middle, "buried", ...hide])) : [],
    hand: sorted(view, order),
    offered: own !== null && playing ? offered(view, own) : [],
    result: !playing && view["@result"] ? resultOf(view, own) : null,
  };
}

function rolesOf({ view, words }, seat) {
  const roles = Object.keys(words.tables.roles).filter((key) => view[key] === seat);
  return [...new Set(roles.map((key) => words.of("roles", key)))];
}

// What lists by seat say of one: bets, doubled, arranged ...
function notesOf({ view, words, speaker }, seat) {
  return Object.keys(words.tables.columns)
    .filter((key) => !HANDS.includes(key) && Array.isArray(view[key]))
    .map((key) => [key, view[key][seat]])
    .filter(([, value]) => ![null, undefined, false, 0].includes(value) && value.length !== 0)
    .map(([key, value]) =>
      value === true ? words.of("columns", key) : `${words.of("columns", key)} ${speaker.say(value)}`);
}

// { cards } or { text } or null.
function laidOf({ view, words, t, playing }, seat) {
  if (!playing) return null;
  if (view.phase === "bid" && view.bids) {
    const bid = view.bids[seat];
    if (bid === null) return null;
    return { text: bid ? t("called", { n: bid }) : t("nocall") };
  }
  for (const key of LAID) {
    const last = view[key]?.[seat];
    if (last === undefined || last === null) continue;
    if (typeof last === "string") return { text: words.of("verbs", last) };
    if (last.length) return { cards: last };
    if (key === "shown") return { text: words.of("verbs", "pass") };
  }
  return null;
}

function seenOf(view, seat, own) {
  if (seat === own) return [];
  for (const key of HANDS) {
    const cards = view[key]?.[seat];
    if (Array.isArray(cards) && cards.length && cards.every(isCard)) return cards;
  }
  return [];
}

function sorted(view, order) {
  const hand = view["@phase"] === "playing" ? view.hand ?? [] : [];
  const compare = order ? order(view) : "trump" in view ? bySuit(view.trump, view.level) : byRank;
  return compare ? [...hand].sort(compare) : hand;
}

// Lines of the rules that may be sent now: whole ones, and verbs that need cards.
function offered(view, own) {
  const lines = view.to_act?.includes(own) ? view.legal ?? [] : view.early ?? [];
  const burns = view.burn?.may?.includes(own) && !lines.includes("burn") ? ["burn"] : [];
  return [...lines, ...burns];
}

function resultOf(view, own) {
  const { deltas, fees, result } = view["@result"];
  return { deltas, fees, result, own: own === null ? null : deltas[own] };
}
