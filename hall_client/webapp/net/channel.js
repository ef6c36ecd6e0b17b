// The client's end of the sealed channel; its twin is ClientChannel in paiju/wire/sealed.py.

import { concat, random, utf8 } from "./bytes.js";
import { Initiator, MESSAGE_BYTES } from "./noise.js";
import { BrokenSeal, Opener, Sealer } from "./records.js";

export const MAJOR = 1;
export const MINOR = 0;
const SEAL_VERSION = 1;
const OPENING = 1;
const ACCEPTANCE = 2;
const LABEL = utf8("paiju sealed channel");

async function keyId(serverKey) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", serverKey)).slice(0, 8);
}

export class Channel {
  constructor(serverKey) {
    this.serverKey = serverKey;
    this.sealer = null;
    this.opener = null;
  }

  get ready() {
    return this.sealer !== null;
  }

  // The first frame to send.
  async opening() {
    const plain = concat(
      Uint8Array.of(OPENING, SEAL_VERSION, 0, MAJOR, 0, MINOR),
      await keyId(this.serverKey),
      random(16),
    );
    this.noise = new Initiator(this.serverKey, concat(LABEL, plain));
    return concat(plain, await this.noise.write());
  }

  // The gateway's answer to it.
  async accept(frame) {
    if (frame[0] !== ACCEPTANCE) throw new BrokenSeal("not_sealed");
    if (frame.length !== 1 + MESSAGE_BYTES) throw new BrokenSeal("truncated");
    let keys;
    try {
      keys = await this.noise.read(frame.subarray(1));
    } catch {
      throw new BrokenSeal("handshake");
    }
    this.opener = new Opener(keys.toClient);
    this.sealer = new Sealer(keys.toServer);
  }

  seal(payload) {
    return this.sealer.seal(payload);
  }

  open(frame) {
    return this.opener.open(frame);
  }
}
