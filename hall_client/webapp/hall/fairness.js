// "Verify this deal": what docs/contracts/fair-shuffles.md promises, checked here and nowhere
// else. Needs the record alone; who played can also compare what was shown before the hand.

import { concat, utf8 } from "../net/bytes.js";
import { shake256 } from "../vendor/shake.js"; // browsers have SHA-2 alone

const RANKS = "3456789TJQKA2";
const SUITS = "dchs";

const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function number(value, size) {
  const out = new Uint8Array(size);
  new DataView(out.buffer).setUint32(size - 4, value);
  return out;
}

const framed = (...fields) => concat(...fields.flatMap((field) => [number(field.length, 4), field]));

export async function commitmentOf(secret) {
  const data = framed(utf8("paiju commit v1"), secret);
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", data)));
}

// The draws of a hand; the twin of ShakeRng in paiju/rules/shuffle.py.
export class Draws {
  constructor({ table, hand, secret, contributions }) {
    const context = framed(utf8(table), number(hand, 8));
    const seed = framed(utf8("paiju deck v1"), context, secret, ...contributions);
    this.stream = shake256.create().update(seed);
  }

  below(n) {
    const bits = n > 1 ? Math.floor(Math.log2(n - 1)) + 1 : 0;
    for (;;) {
      const bytes = this.stream.xof(Math.ceil(bits / 8));
      const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0) % 2 ** bits;
      if (value < n) return value;
    }
  }

  permutation(n) {
    for (;;) {
      const data = new DataView(this.stream.xof(8 * n).buffer);
      const draws = Array.from({ length: n }, (_, at) => data.getBigUint64(8 * at));
      if (new Set(draws).size < n) continue;
      const order = draws.map((_, at) => at);
      return order.sort((a, b) => (draws[a] < draws[b] ? -1 : 1));
    }
  }
}

const strength = (card) =>
  (card === "BJ" ? 60 : card === "RJ" ? 61 : RANKS.indexOf(card[0]) * 4 + SUITS.indexOf(card[1]));
const bySort = (a, b) => strength(a) - strength(b);
const WHOLE = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit));

// A pack of these cards as it lies before it is shuffled: in order, equal cards together or
// pack by pack. Which of the two is a habit of the game; a deal that was tampered with fits none.
function packs(cards) {
  const sorted = [...cards].sort(bySort);
  const seen = new Map();
  const copy = sorted.map((card) => {
    seen.set(card, (seen.get(card) ?? 0) + 1);
    return seen.get(card);
  });
  const order = sorted.map((_, at) => at).sort((a, b) => copy[a] - copy[b] || a - b);
  return [sorted, order.map((at) => sorted[at])];
}

const key = (cards) => [...cards].sort(bySort).join(" ");

const cardsOf = (text) => text.split(" ").filter((one) => one && one !== "-");

// "deal 1 / 3d 3c ... / 4d ... / 3h" -> the piles of cards, without what is no pile.
function pilesOf(line) {
  const [verb, ...rest] = line.split(" / ");
  const words = verb.split(" ").slice(1);
  const first = words.length && Number.isNaN(Number(words[0])) ? [words.join(" ")] : [];
  return [...first, ...rest].filter((pile) => !pile.includes("=")).map(cardsOf);
}

function dealFits(draws, piles, size) {
  const dealt = piles.flat();
  const pack = size > dealt.length ? WHOLE : dealt;
  const order = draws.permutation(Math.max(size, dealt.length));
  return packs(pack).some((lying) => {
    let at = 0;
    return piles.every((pile) => {
      const drawn = order.slice(at, at + pile.length).map((place) => lying[place]);
      at += pile.length;
      return key(drawn) === key(pile);
    });
  });
}

function shuffleFits(draws, pile) {
  const order = draws.permutation(pile.length);
  return packs(pile).some((lying) => order.every((place, at) => lying[place] === pile[at]));
}

const DRAWN_FROM = { draw: WHOLE, step: [...WHOLE, "BJ", "RJ"] };

// Cards that are drawn one by one from what is left.
class Rest {
  constructor(from) {
    this.left = [...from].sort(bySort);
  }

  fits(draws, cards) {
    return cards.every((card) => this.left.splice(draws.below(this.left.length), 1)[0] === card);
  }
}

// true, false, or null when nature drew nothing: each line of nature against its draws.
function chanceFits(record, draws) {
  const lines = record.actions.filter(([seat]) => seat === -1).map(([, line]) => line);
  const seats = record.seats.length;
  const rests = {};
  let found = null;
  for (const line of lines) {
    const verb = line.split(" ", 1)[0];
    const piles = pilesOf(line);
    const cards = piles.flat();
    let fits = true;
    if (["banker", "priority", "first", "lead"].includes(verb)) {
      const carried = Object.keys(record.carry).length > 0;
      fits = carried || draws.below(seats) === Number(line.split(" ")[1]);
    } else if (verb === "shuffle") fits = shuffleFits(draws, cards);
    else if (verb === "draw") {
      rests.draw ??= new Rest(DRAWN_FROM.draw);
      fits = rests.draw.fits(draws, cards);
    } else if (verb === "deal" && piles.length > 1 && cards.length === 0) {
      fits = draws.below(seats) === Number(line.split(" ")[1]); // who speaks first
    } else if (verb === "deal" && cards.length === seats && piles.at(-1).length === 0) {
      // One card for each seat: a deal that players may act in.
      rests.step ??= new Rest(DRAWN_FROM.step);
      fits = rests.step.fits(draws, cards);
    } else if (verb === "deal" && piles.length > 1) fits = dealFits(draws, piles, cards.length < 48 ? 52 : 0);
    else continue; // the next step of what was shuffled before: nothing is drawn
    if (!fits) return false;
    found = true;
  }
  return found;
}

// shown: { commitment, contribution } of this page before the hand, if it was here.
// Answers [{ what, ok }]: ok null where there is nothing to compare.
export async function verify(record, shown = null) {
  const secret = fromHex(record.secret);
  const contributions = record.contributions.map(fromHex);
  const draws = new Draws({ table: record.table, hand: record.hand, secret, contributions });
  let dealt = false;
  try {
    dealt = chanceFits(record, draws);
  } catch {
    dealt = false; // a record that cannot be read proves nothing
  }
  return [
    { what: "proof.before", ok: shown ? shown.commitment === record.commitment : null },
    { what: "proof.secret", ok: (await commitmentOf(secret)) === record.commitment },
    { what: "proof.mine", ok: shown ? record.contributions.includes(shown.contribution) : null },
    { what: "proof.dealt", ok: dealt },
  ];
}
