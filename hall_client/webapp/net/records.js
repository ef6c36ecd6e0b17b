// Records of a sealed channel; the format is in paiju/wire/records.py, this file's twin.
//
// WebCrypto answers when it likes. Each direction therefore has one chain of promises: a
// record is begun only when the one before it is done, so order never depends on who is
// ready first, and key and counter have one owner.

import { concat, equal } from "./bytes.js";
import { decrypt, encrypt, rekeyed, TAG_BYTES } from "./noise.js";

const RECORD = 3;
export const RECORDS_PER_KEY = 2 ** 20;
export const KEY_MS = 600_000;
const SIZES = [256, 1024, 4096, 16_384];
const HEADER_BYTES = 12;
const OVERHEAD_BYTES = HEADER_BYTES + 4 + TAG_BYTES;
const REKEY_BIT = 0x8000_0000;

export class BrokenSeal extends Error {
  constructor(reason) {
    super(`the seal is broken: ${reason}`);
    this.reason = reason;
  }
}

export function padded(payload) {
  const need = payload + OVERHEAD_BYTES;
  const last = SIZES.at(-1);
  return SIZES.find((size) => need <= size) ?? Math.ceil(need / last) * last;
}

function header(generation, counter) {
  const out = new Uint8Array(HEADER_BYTES);
  const view = new DataView(out.buffer);
  view.setUint32(0, ((RECORD << 24) | generation) >>> 0);
  view.setBigUint64(4, BigInt(counter));
  return out;
}

const nonceOf = (head) => concat(new Uint8Array(4), head.subarray(4));

class Direction {
  constructor(key, recordsPerKey) {
    this.key = key;
    this.generation = 0;
    this.counter = 0;
    this.used = 0;
    this.recordsPerKey = recordsPerKey;
    this.chain = Promise.resolve();
  }

  // Run `work` after all that was asked for before it; after a failure nothing runs any more.
  inOrder(work) {
    const done = this.chain.then(work);
    this.chain = done;
    done.catch(() => {});
    return done;
  }

  async takeNewKey() {
    this.key = await rekeyed(this.key);
    this.generation += 1;
    this.used = 0;
  }
}

export class Sealer extends Direction {
  constructor(key, { recordsPerKey = RECORDS_PER_KEY, now = () => performance.now() } = {}) {
    super(key, recordsPerKey);
    this.now = now;
    this.until = now() + KEY_MS;
  }

  seal(payload) {
    return this.inOrder(async () => {
      const head = header(this.generation, this.counter);
      this.counter += 1;
      this.used += 1;
      const last = this.used >= this.recordsPerKey || this.now() >= this.until;
      const inner = new Uint8Array(padded(payload.length) - HEADER_BYTES - TAG_BYTES);
      const word = payload.length + (last ? REKEY_BIT : 0);
      new DataView(inner.buffer).setUint32(0, word);
      inner.set(payload, 4);
      const sealed = await encrypt(this.key, nonceOf(head), inner, head);
      if (last) {
        await this.takeNewKey();
        this.until = this.now() + KEY_MS;
      }
      return concat(head, sealed);
    });
  }
}

export class Opener extends Direction {
  constructor(key, { recordsPerKey = RECORDS_PER_KEY } = {}) {
    super(key, recordsPerKey);
  }

  open(record) {
    return this.inOrder(async () => {
      const head = record.subarray(0, HEADER_BYTES);
      if (!equal(head, header(this.generation, this.counter))) throw new BrokenSeal("header");
      if (record.length < OVERHEAD_BYTES) throw new BrokenSeal("truncated");
      let inner;
      try {
        inner = await decrypt(this.key, nonceOf(head), record.subarray(HEADER_BYTES), head);
      } catch {
        throw new BrokenSeal("forged");
      }
      const word = new DataView(inner.buffer).getUint32(0);
      const size = word % REKEY_BIT;
      if (record.length !== padded(size)) throw new BrokenSeal("padding");
      this.counter += 1;
      this.used += 1;
      if (word >= REKEY_BIT) await this.takeNewKey();
      else if (this.used >= this.recordsPerKey) throw new BrokenSeal("overdue_key");
      return inner.subarray(4, 4 + size);
    });
  }
}
