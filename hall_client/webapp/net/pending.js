// Commands without an answer. Each keeps its id and operation id until the answer has come, so
// what is sent again after a lost connection takes effect once.

import { newOp } from "./bytes.js";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
export const TRANSIENT = new Set(["RETRY", "BUSY", "TOO_FAST", "DRAINING"]);
const OPERATIONS = new Set([
  "openGuest", "register", "renew", "quickJoin", "sit", "stand", "topUp", "ready", "act", "chat", "report",
]);

// A refusal by the hall: a stable code, and a sentence in the reader's language.
export class Refused extends Error {
  constructor(refusal) {
    super(refusal.text || refusal.code);
    this.code = refusal.code;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

export class Pending {
  #byId = new Map();
  #next = 1n;

  // internal: our own; it is forgotten with the connection instead of being sent again.
  add(kind, value, { internal = false, op = null } = {}) {
    const id = this.#next;
    this.#next += 1n;
    const made = op ?? (OPERATIONS.has(kind) ? newOp() : new Uint8Array(0));
    const entry = { id, kind, internal, sent: false, resent: false, refusals: 0, notBefore: 0 };
    entry.command = { id, op: made, body: { case: kind, value } };
    entry.answer = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    entry.answer.catch(() => {});
    this.#byId.set(id, entry);
    return entry;
  }

  take(id) {
    const entry = this.#byId.get(id);
    this.#byId.delete(id);
    return entry;
  }

  anyOf(...kinds) {
    return [...this.#byId.values()].some((entry) => kinds.includes(entry.kind));
  }

  // What is to be sent now, in order; it counts as sent.
  due(now, maySend) {
    const due = [...this.#byId.values()].filter(
      (entry) => !entry.sent && entry.notBefore <= now && maySend(entry),
    );
    for (const entry of due) entry.sent = true;
    return due.map((entry) => entry.command);
  }

  // Refused for the moment: plan the repeat; after how many milliseconds.
  again(entry, now, retryAfterMs) {
    const wait = Math.max(
      retryAfterMs, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** entry.refusals),
    );
    entry.refusals += 1;
    entry.sent = false;
    entry.notBefore = now + wait;
    this.#byId.set(entry.id, entry);
    return wait;
  }

  connectionLost() {
    for (const [id, entry] of this.#byId) {
      if (entry.internal) this.#byId.delete(id);
      else if (entry.sent) Object.assign(entry, { sent: false, resent: true });
    }
  }

  failAll(error) {
    for (const entry of this.#byId.values()) entry.reject(error);
    this.#byId.clear();
  }
}
