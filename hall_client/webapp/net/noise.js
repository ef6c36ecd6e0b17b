// Noise_NK_25519_AESGCM_SHA256, the client's side, on WebCrypto. Its twin is
// paiju/wire/noise.py; sections are those of the Noise specification, revision 34.

import { concat, utf8 } from "./bytes.js";

const NAME = "Noise_NK_25519_AESGCM_SHA256";
const KEY_BYTES = 32;
export const TAG_BYTES = 16;
export const MESSAGE_BYTES = KEY_BYTES + TAG_BYTES;

const sha256 = async (data) => new Uint8Array(await crypto.subtle.digest("SHA-256", data));

async function hmac(key, data) {
  const usable = await crypto.subtle.importKey(
    "raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", usable, data));
}

// Two outputs (section 4.3).
async function hkdf(chain, material) {
  const secret = await hmac(chain, material);
  const first = await hmac(secret, Uint8Array.of(1));
  return [first, await hmac(secret, concat(first, Uint8Array.of(2)))];
}

export const aesKey = (bytes) =>
  crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);

// 96 bits: four zero bytes and the counter, big-endian (section 12.3).
export function nonce(counter) {
  const out = new Uint8Array(12);
  new DataView(out.buffer).setBigUint64(4, BigInt(counter));
  return out;
}

export async function encrypt(key, iv, plain, additionalData) {
  const algorithm = { name: "AES-GCM", iv, additionalData, tagLength: 8 * TAG_BYTES };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plain));
}

export async function decrypt(key, iv, sealed, additionalData) {
  const algorithm = { name: "AES-GCM", iv, additionalData, tagLength: 8 * TAG_BYTES };
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed));
}

// The key after `key` (section 11.3).
export async function rekeyed(key) {
  const last = concat(new Uint8Array(4), new Uint8Array(8).fill(255));
  const made = await encrypt(key, last, new Uint8Array(KEY_BYTES), new Uint8Array(0));
  return aesKey(made.slice(0, KEY_BYTES));
}

async function shared(privateKey, theirs) {
  const publicKey = await crypto.subtle.importKey("raw", theirs, "X25519", false, []);
  const algorithm = { name: "X25519", public: publicKey };
  const bits = new Uint8Array(await crypto.subtle.deriveBits(algorithm, privateKey, 256));
  if (bits.every((byte) => byte === 0)) throw new Error("not a usable public key");
  return bits;
}

// `write`, then `read` the answer. Both reject when something is wrong.
export class Initiator {
  constructor(serverKey, prologue) {
    this.serverKey = serverKey;
    this.prologue = prologue;
  }

  async write() {
    const name = new Uint8Array(KEY_BYTES);
    name.set(utf8(NAME));
    this.hash = this.chain = name;
    await this.#mixHash(this.prologue);
    await this.#mixHash(this.serverKey);
    this.ephemeral = await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
    const ours = new Uint8Array(await crypto.subtle.exportKey("raw", this.ephemeral.publicKey));
    await this.#mixHash(ours);
    await this.#mixKey(await shared(this.ephemeral.privateKey, this.serverKey));
    const tag = await encrypt(this.key, nonce(0), new Uint8Array(0), this.hash);
    await this.#mixHash(tag);
    return concat(ours, tag);
  }

  async read(message) {
    const theirs = message.slice(0, KEY_BYTES);
    await this.#mixHash(theirs);
    await this.#mixKey(await shared(this.ephemeral.privateKey, theirs));
    await decrypt(this.key, nonce(0), message.slice(KEY_BYTES), this.hash);
    const [toServer, toClient] = await hkdf(this.chain, new Uint8Array(0));
    return { toServer: await aesKey(toServer), toClient: await aesKey(toClient) };
  }

  async #mixHash(data) {
    this.hash = await sha256(concat(this.hash, data));
  }

  async #mixKey(material) {
    const [chain, key] = await hkdf(this.chain, material);
    this.chain = chain;
    this.key = await aesKey(key);
  }
}
