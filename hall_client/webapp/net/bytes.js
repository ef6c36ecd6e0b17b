// Bytes: the few operations that the channel and the client need.

export const utf8 = (text) => new TextEncoder().encode(text);
export const text = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

export function concat(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function equal(a, b) {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export function random(length) {
  return crypto.getRandomValues(new Uint8Array(length));
}

export function fromBase64url(string) {
  const plain = atob(string.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}

export function toBase64url(bytes) {
  const plain = btoa(String.fromCharCode(...bytes));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// An operation id: UUIDv7, 48 bits of milliseconds and the rest random.
export function newOp() {
  const id = random(16);
  new DataView(id.buffer).setUint32(0, Math.floor(Date.now() / 2 ** 16));
  new DataView(id.buffer).setUint16(4, Date.now() % 2 ** 16);
  id[6] = 0x70 | (id[6] & 0x0f);
  id[8] = 0x80 | (id[8] & 0x3f);
  return id;
}
