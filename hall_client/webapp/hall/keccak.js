// SHAKE-256 (FIPS 202): browsers have SHA-2 alone. Some kilobytes at a time, so clarity goes
// before speed.

const RATE = 136; // bytes
const MASK = (1n << 64n) - 1n;
const ROTATIONS = [
  0n, 1n, 62n, 28n, 27n, 36n, 44n, 6n, 55n, 20n, 3n, 10n, 43n, 25n, 39n, 41n, 45n, 15n, 21n, 8n,
  18n, 2n, 61n, 56n, 14n,
];

// The constants of step iota come from a linear feedback register (section 3.2.5).
const ROUNDS = (() => {
  const out = [];
  let register = 1;
  for (let round = 0; round < 24; round += 1) {
    let constant = 0n;
    for (let j = 0; j < 7; j += 1) {
      if (register & 1) constant |= 1n << BigInt(2 ** j - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) : register << 1;
    }
    out.push(constant);
  }
  return out;
})();

const turned = (lane, by) => ((lane << by) | (lane >> (64n - by))) & MASK;

function permute(a) {
  for (const constant of ROUNDS) {
    const c = [0, 1, 2, 3, 4].map((x) => a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
    for (let at = 0; at < 25; at += 1) a[at] ^= c[(at + 4) % 5] ^ turned(c[(at + 1) % 5], 1n);
    const b = new Array(25);
    for (let x = 0; x < 5; x += 1) {
      for (let y = 0; y < 5; y += 1) {
        b[y + 5 * ((2 * x + 3 * y) % 5)] = turned(a[x + 5 * y], ROTATIONS[x + 5 * y]);
      }
    }
    for (let at = 0; at < 25; at += 1) {
      const row = at - (at % 5);
      a[at] = b[at] ^ (~b[row + ((at + 1) % 5)] & MASK & b[row + ((at + 2) % 5)]);
    }
    a[0] ^= constant;
  }
}

// A stream of bytes that begins with the digest of any length.
export class Shake256 {
  constructor(message) {
    this.lanes = new Array(25).fill(0n);
    this.block = new Uint8Array(0);
    const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
    padded.set(message);
    padded[message.length] = 0x1f;
    padded[padded.length - 1] |= 0x80;
    const view = new DataView(padded.buffer);
    for (let at = 0; at < padded.length; at += RATE) {
      for (let lane = 0; lane < RATE / 8; lane += 1) {
        this.lanes[lane] ^= view.getBigUint64(at + 8 * lane, true);
      }
      permute(this.lanes);
    }
    this.#squeeze();
  }

  #squeeze() {
    this.block = new Uint8Array(RATE);
    const view = new DataView(this.block.buffer);
    for (let lane = 0; lane < RATE / 8; lane += 1) view.setBigUint64(8 * lane, this.lanes[lane], true);
    this.used = 0;
  }

  read(count) {
    const out = new Uint8Array(count);
    for (let at = 0; at < count; at += 1) {
      if (this.used === RATE) {
        permute(this.lanes);
        this.#squeeze();
      }
      out[at] = this.block[this.used];
      this.used += 1;
    }
    return out;
  }
}
