// What a view tells besides seats and cards: label and value, in words. Nothing is remembered
// and no game is known here; a game that is new is shown with the words its rules use.

import { isCard, plain } from "./cards.js";

export class Speaker {
  // names: of the seats, the own one as "you".
  constructor(words, names) {
    this.words = words;
    this.names = names;
  }

  seat(seat) {
    return Number.isInteger(seat) ? this.names[seat] ?? "-" : "-";
  }

  seats(value) {
    return Array.isArray(value) ? value.map((one) => this.seats(one)).join(", ") || "-" : this.seat(value);
  }

  say(value) {
    if (value === null || value === undefined) return "-";
    if (typeof value === "boolean") return value ? "✓" : "✗";
    if (typeof value === "string") return isCard(value) ? plain(value) : this.words.of("values", value);
    if (Array.isArray(value)) {
      return value.map((one) => this.say(one)).join(value.every(isCard) ? " " : ", ") || "-";
    }
    if (typeof value === "object") return this.#object(value);
    return String(value);
  }

  #object(value) {
    if ("from" in value && "to" in value) {
      return `${this.seat(value.from)} → ${this.seat(value.to)} ${value.count ?? ""}`.trim();
    }
    return Object.entries(value)
      .map(([key, one]) => `${this.words.of("facts", key)} ${this.say(one)}`)
      .join(", ");
  }

  // An event's line for the log; undefined when the table shows it anyway.
  event({ kind, data }) {
    return this.words.sentence(kind, (name) => {
      if (name === "name") return this.seat(data.seat);
      const value = data[name];
      if (["from", "to", "victim", "winner", "farmer", "dealer"].includes(name)) return this.seats(value);
      return this.say(value);
    });
  }
}

// [{ key, label, text, cards }] of what holds something; `skip`: keys shown elsewhere.
export function facts(view, speaker, skip = new Set()) {
  const out = [];
  collect(view, "", speaker.words, skip, out);
  return out.map(([key, value]) => ({
    key,
    label: speaker.words.of("facts", key),
    cards: Array.isArray(value) && value.length > 0 && value.every(isCard) ? value : null,
    text: speaker.words.namesSeats(key) ? speaker.seats(value) : speaker.say(value),
  }));
}

function collect(values, prefix, words, skip, out) {
  for (const [name, value] of Object.entries(values)) {
    const key = prefix + name;
    if (name.startsWith("@") || skip.has(key) || dealtWith(words, key)) continue;
    if (isNothing(value, words.namesSeats(key))) continue;
    if (typeof value === "object" && !Array.isArray(value) && !("from" in value)) {
      collect(value, `${key}.`, words, skip, out);
    } else out.push([key, value]);
  }
}

const dealtWith = (words, key) =>
  words.silent(key) || words.has("columns", key) || words.has("roles", key);

// Seat 0 is somebody, the number 0 is nothing.
function isNothing(value, seats) {
  if (value === null || (Array.isArray(value) && value.length === 0)) return true;
  if (seats) return false;
  return value === false || value === 0 || value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
}
