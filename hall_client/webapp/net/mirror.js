// One table as this receiver sees it; its twin is hall_client/mirror.py. Every change is
// checked against the 32-bit check of the whole view (docs/contracts/resume.md).

import { concat, text, utf8 } from "./bytes.js";

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

const part = (key, value) => crc32(concat(utf8(key), Uint8Array.of(0), value));

const parsed = (value) => JSON.parse(text(value));

function checkOf(parts) {
  let sum = 0;
  for (const [key, value] of parts) sum = (sum + part(key, value)) >>> 0;
  return sum;
}

export class Mirror {
  constructor(ref) {
    this.ref = ref;
    this.key = ""; // of a locked table, as far as we know it
    this.parts = new Map();
    this.epoch = 0n;
    this.seq = 0n;
    this.hand = 0n;
    this.seat = -2;
    this.check = 0;
    this.away = [];
    this.spectators = 0;
    this.clocks = []; // { seat, key, endsAt, reserveMs } by performance.now()
    this.fresh = true; // the next snapshot counts, even one with a lower number
    this.asked = false; // a snapshot has been asked for
    this.view = {};
  }

  get known() {
    return this.seq > 0n;
  }

  cursor() {
    return { table: this.ref, epoch: this.epoch, seq: this.seq };
  }

  // Take in an update: "applied", "dropped", or "resync" when a snapshot must be asked for.
  apply(update) {
    const outcome =
      update.kind.case === "snapshot" ? this.#snapshot(update) : this.#step(update);
    if (outcome === "applied") {
      this.epoch = update.epoch;
      this.seq = update.seq;
      this.fresh = false;
      this.asked = false;
      this.setClocks(update.clocks);
    }
    return outcome;
  }

  setClocks(clocks) {
    const now = performance.now();
    this.clocks = clocks.map(({ seat, key, remainingMs, reserveMs }) => ({
      seat, key, endsAt: now + remainingMs, reserveMs,
    }));
  }

  #snapshot(update) {
    const snapshot = update.kind.value;
    const older =
      update.epoch < this.epoch || (update.epoch === this.epoch && update.seq < this.seq);
    if (older && !this.fresh) return "dropped";
    const parts = new Map(Object.entries(snapshot.view));
    if (checkOf(parts) !== snapshot.check) return "resync";
    this.parts = parts;
    this.check = snapshot.check;
    this.seat = snapshot.seat;
    this.hand = snapshot.hand;
    this.view = Object.fromEntries([...parts].map(([key, value]) => [key, parsed(value)]));
    return "applied";
  }

  #step(update) {
    if (update.epoch < this.epoch || (update.epoch === this.epoch && update.seq <= this.seq))
      return "dropped";
    if (!this.known || update.epoch !== this.epoch || update.seq !== this.seq + 1n)
      return "resync";
    const { patch, hand } = update.kind.value;
    if (patch) {
      let check = this.check;
      for (const key of patch.del) {
        if (!this.parts.has(key)) return "resync";
        check -= part(key, this.parts.get(key));
      }
      for (const [key, value] of Object.entries(patch.set)) {
        if (this.parts.has(key)) check -= part(key, this.parts.get(key));
        check += part(key, value);
      }
      // Sums of 32-bit numbers, some subtracted: well inside what a double holds exactly.
      check = ((check % 2 ** 32) + 2 ** 32) % 2 ** 32;
      if (check !== patch.check) return "resync";
      this.check = check;
      const view = { ...this.view };
      for (const key of patch.del) {
        this.parts.delete(key);
        delete view[key];
      }
      for (const [key, value] of Object.entries(patch.set)) {
        this.parts.set(key, value);
        view[key] = parsed(value);
      }
      this.view = view; // never changed in place: whoever draws may compare and keep it
    }
    this.hand = hand;
    return "applied";
  }
}
