// One sealed WebSocket: payloads in, payloads out, each direction in order.

import { Channel } from "./channel.js";

const HANDSHAKE_MS = 5_000;

// onPayload(bytes), onClosed(why): called in order; onClosed once, as the last.
export class Link {
  constructor({ url, serverKey, onReady, onPayload, onClosed }) {
    this.channel = new Channel(serverKey);
    this.onPayload = onPayload;
    this.onReady = onReady;
    this.onClosed = onClosed;
    this.closed = false;
    this.incoming = Promise.resolve();
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.deadline = setTimeout(() => this.close("no handshake in time"), HANDSHAKE_MS);
    this.socket.onopen = () => this.#open();
    this.socket.onclose = () => this.close("closed by the gateway");
    this.socket.onerror = () => this.close("the gateway cannot be reached");
    this.socket.onmessage = (event) => this.#received(new Uint8Array(event.data));
  }

  // Sealed in the order of the calls and sent in the same order: one promise chain.
  async send(payload) {
    try {
      const frame = await this.channel.seal(payload);
      if (!this.closed) this.socket.send(frame);
    } catch (error) {
      this.close(String(error.message));
    }
  }

  close(why) {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.deadline);
    this.socket.close();
    this.onClosed(why, this.channel.ready);
  }

  async #open() {
    try {
      this.socket.send(await this.channel.opening());
    } catch (error) {
      this.close(String(error.message));
    }
  }

  #received(frame) {
    this.incoming = this.incoming.then(() => this.#handle(frame)).catch((error) => {
      this.close(String(error.message));
    });
  }

  async #handle(frame) {
    if (this.closed) return;
    if (!this.channel.ready) {
      await this.channel.accept(frame);
      clearTimeout(this.deadline);
      this.onReady();
    } else {
      const payload = await this.channel.open(frame);
      if (!this.closed) this.onPayload(payload);
    }
  }
}
