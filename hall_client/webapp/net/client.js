// The hall for a page: stays connected, resumes, keeps table mirrors. Its twin is hall_client.
//
//   const client = new HallClient({ gateways, serverKeys, codec, locale });
//   client.onchange = () => draw();
//   await client.guest(secret, name);
//   const table = await client.quickJoin("doudizhu.novice");
//
// A call resolves with the answer's value or rejects with Refused. While the connection is
// lost calls wait. The server's view always wins.

import { newOp, text } from "./bytes.js";
import { MAJOR, MINOR } from "./channel.js";
import { Link } from "./link.js";
import { Mirror } from "./mirror.js";
import { Pending, Refused, TRANSIENT } from "./pending.js";

const BUILD = 1;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const GREET_MS = 10_000;
const RENEW_LOOK_MS = 15_000;
const RENEW_BEFORE_US = 60_000_000n;
const SILENCE_FACTOR = 2.5;
const ENDINGS = new Set(["REPLACED", "KICKED"]);
const OPENERS = new Set(["openGuest", "register", "login", "listRooms"]);
const SHUT_OUT = new Set(["BAD_TICKET", "STALE_SESSION", "FROZEN", "MAY_NOT_PLAY"]);

const readEvent = ({ kind, data }) => ({ kind, data: JSON.parse(text(data)) });

// Nobody who came by TLS goes on without.
export const mayGo = (url, hint) =>
  hint.startsWith("wss://") || (hint.startsWith("ws://") && url.startsWith("ws://"));

export class HallClient {
  constructor({ gateways, serverKeys, codec, locale = "en" }) {
    this.gateways = gateways;
    this.serverKeys = serverKeys;
    this.codec = codec;
    this.locale = locale;
    this.onchange = () => {};
    this.onnotice = () => {};
    this.onevents = () => {}; // (table, [{ kind, data }]) after the view has changed
    this.onchat = () => {};
    this.onrooms = () => {}; // something was started, stopped or changed
    this.ongrid = () => {}; // of the shard that watchGrid named
    this.onpenalty = () => {}; // until `heard`; may come again after a resume
    this.phase = "offline"; // offline, greeting, greeted, open, ended
    this.ending = "";
    this.session = null; // profile, epoch, connection, ticket, expires, refresh, rotationOp
    this.wallet = null;
    this.tables = new Map();
    this.grid = null; // { room, shard } whose tables are looked at
    this.resumes = 0;
    this.pending = new Pending();
    this.opener = null;
    this.attempts = 0;
    this.turn = Math.floor(Math.random() * gateways.length);
    this.hint = ""; // a gateway that a full one has named, tried next and once
    this.pingMs = 20_000;
    setInterval(() => this.#lookAfter(), 1_000);
    this.#connect();
  }

  // ---- calls ---------------------------------------------------------------------------------

  async guest(secret, name = "") {
    const op = newOp();
    this.opener = () => ["openGuest", { deviceSecret: secret, name }, { op }];
    return this.call("openGuest", { deviceSecret: secret, name }, { op });
  }

  // A named account; a password cannot be kept by the page, so a lost ticket ends the session.
  register(name, password) {
    return this.call("register", { name, password });
  }

  login(name, password) {
    return this.call("login", { name, password });
  }

  rooms() {
    return this.call("listRooms", {});
  }

  // The person has seen what was decided about the account.
  heard(penalty) {
    return this.call("heard", { penalty: penalty.id });
  }

  // { hands: [{ table, hand, game, endedUs, result, seat, deltas, names }], beforeUs }
  hands(beforeUs = 0n) {
    return this.call("listHands", { beforeUs });
  }

  // { record, names }; the record is packed by zlib.
  hand(table, hand) {
    return this.call("getHand", { table, hand });
  }

  chat(table, text) {
    return this.call("chat", { table: table.ref, text });
  }

  // own: a table of one's own; key: what others must say to come in, "" for nothing.
  async quickJoin(room, { own = false, key = "" } = {}) {
    const seated = await this.call("quickJoin", { room, buyIn: 0n, own, key });
    return this.#keyed(seated.table, key);
  }

  async sit(ref, seat, key = "") {
    const seated = await this.call("sit", { table: ref, seat, buyIn: 0n, key });
    return this.#keyed(seated.table, key);
  }

  // Look on: the board that everybody may see.
  async watch(ref, key = "") {
    const table = this.#keyed(ref, key);
    try {
      await this.call("watch", { table: ref, key });
    } catch (error) {
      if (!table.known) this.tables.delete(ref.table);
      throw error;
    }
    return table;
  }

  async unwatch(table) {
    this.tables.delete(table.ref.table);
    this.onchange();
    await this.call("unwatch", { table: table.ref });
  }

  // One shard's tables at a time; null: none any more.
  async watchGrid(room, shard = 0) {
    const before = this.grid;
    this.grid = room === null ? null : { room, shard };
    if (before) await this.call("watchGrid", { ...before, stop: true });
    if (this.grid) await this.call("watchGrid", this.grid);
  }

  #keyed(ref, key) {
    const table = this.#follow(ref);
    table.key = key || table.key;
    return table;
  }

  ready(table, contribution) {
    return this.call("ready", { table: table.ref, contribution });
  }

  act(table, action) {
    return this.call("act", {
      table: table.ref, action, hand: table.hand, decidedOn: table.seq,
    });
  }

  async stand(table, abandon = false) {
    await this.call("stand", { table: table.ref, abandon });
    this.tables.delete(table.ref.table);
    this.onchange();
  }

  call(kind, value, options = {}) {
    if (this.phase === "ended") return Promise.reject(new Error(this.ending));
    const entry = this.pending.add(kind, value, options);
    this.#send();
    return entry.answer;
  }

  // Cut the connection on purpose; it comes back by itself.
  drop() {
    this.link?.close("dropped");
  }

  // ---- the connection ------------------------------------------------------------------------

  #connect() {
    const url = this.hint || this.gateways[this.turn % this.gateways.length];
    this.hint = "";
    this.url = url;
    // Each gateway is tried with every pinned key before its first key comes round again.
    const round = Math.floor(this.turn / this.gateways.length);
    const serverKey = this.serverKeys[round % this.serverKeys.length];
    this.phase = "greeting";
    this.begun = this.heard = this.pinged = performance.now();
    this.link = new Link({
      url,
      serverKey,
      onReady: () => this.#greet(),
      onPayload: (payload) => this.#received(payload),
      onClosed: (why, shaken) => this.#lost(why, shaken),
    });
  }

  #greet() {
    const hello = {
      major: MAJOR, minor: MINOR, client: "web", build: BUILD, locale: this.locale, viewApi: 1,
    };
    this.hello = this.pending.add("hello", hello, { internal: true }).id;
    if (this.session) {
      this.session.connection += 1n;
      const { ticket, connection, refresh, rotationOp } = this.session;
      const known = [...this.tables.values()].filter((table) => table.known);
      const cursors = known.map((table) => table.cursor());
      this.named = new Set(known.map((table) => table.ref.table));
      const resume = { ticket, connection, cursors, refreshToken: refresh };
      this.pending.add("resume", resume, { internal: true, op: rotationOp });
    }
    this.#send();
  }

  #lost(why, shaken) {
    if (!shaken) this.turn += 1;
    this.link = null;
    this.pending.connectionLost();
    for (const table of this.tables.values()) table.fresh = true;
    if (this.phase === "ended") return;
    if (this.phase === "open") this.attempts = 0;
    this.phase = "offline";
    this.why = why;
    this.onchange();
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.attempts);
    this.attempts += 1;
    setTimeout(() => this.#connect(), pause * (0.5 + Math.random() / 2));
  }

  #end(code) {
    this.phase = "ended";
    this.ending = code;
    this.pending.failAll(new Error(code));
    this.link?.close(code);
    this.onchange();
  }

  // Once a second: signs of life, deadlines, renewal, and what may be sent again by now.
  #lookAfter() {
    if (!this.link || this.phase === "ended") return;
    const now = performance.now();
    const settled = this.phase === "open" || (this.phase === "greeted" && !this.session);
    if (!settled) {
      if (now > this.begun + GREET_MS) this.link.close("no answer to the greeting");
    } else if (now > this.heard + SILENCE_FACTOR * this.pingMs) {
      this.link.close("the gateway is silent");
    } else if (now > Math.max(this.heard, this.pinged) + this.pingMs) {
      this.pinged = now;
      this.pending.add("ping", { nonce: 1n }, { internal: true });
    }
    this.#renew(now);
    this.#send();
  }

  #renew(now) {
    if (this.phase !== "open" || now < (this.renewLook ?? 0)) return;
    this.renewLook = now + RENEW_LOOK_MS;
    const left = this.session.expires - BigInt(Date.now()) * 1000n;
    if (left > RENEW_BEFORE_US || !this.session.refresh) return;
    const { refresh, rotationOp } = this.session;
    this.call("renew", { refreshToken: refresh }, { op: rotationOp }).catch(() => {});
  }

  #send() {
    if (!this.link?.channel.ready) return;
    const maySend = (entry) =>
      entry.internal ||
      this.phase === "open" ||
      (this.phase === "greeted" && !this.session && OPENERS.has(entry.kind));
    const commands = this.pending.due(performance.now(), maySend);
    // One frame each way is at most 32 commands.
    for (let at = 0; at < commands.length; at += 32) {
      this.link.send(this.codec.encode(commands.slice(at, at + 32)));
    }
  }

  // ---- from the gateway ----------------------------------------------------------------------

  #received(payload) {
    this.heard = performance.now();
    for (const { body } of this.codec.updates(payload)) {
      if (body.case === "answer") this.#answer(body.value);
      else if (body.case === "table") this.#table(body.value);
      else if (body.case === "notice") this.#notice(body.value);
      else if (body.case === "wallet") this.wallet = body.value;
      else if (body.case === "presence") this.#presence(body.value);
      else if (body.case === "chat") this.onchat(body.value);
      else if (body.case === "rooms") this.onrooms();
      else if (body.case === "grid") this.ongrid(body.value);
      else if (body.case === "penalty") this.onpenalty(body.value);
    }
    this.#send();
    this.onchange();
  }

  #answer(answer) {
    const entry = this.pending.take(answer.id);
    if (!entry) return;
    const { case: kind, value } = answer.result;
    if (kind === "refusal") {
      this.#refused(entry, value);
      return;
    }
    if (kind === "welcome") {
      this.pingMs = Math.max(1_000, value.pingEveryMs);
      if (this.phase === "greeting") this.phase = "greeted";
    } else if (kind === "session") this.#opened(entry, value);
    else if (kind === "seated") {
      const table = this.#follow(value.table);
      if (entry.resent) this.#watch(table); // the first answer's subscription is gone
    } else if (kind === "wallet") this.wallet = value;
    entry.resolve(value);
  }

  #opened(entry, session) {
    const before = this.session;
    const same = before && before.epoch === session.sessionEpoch;
    const refresh = session.refreshToken || before?.refresh || "";
    this.session = {
      profile: session.profile,
      epoch: session.sessionEpoch,
      connection: same && before.connection > session.connection
        ? before.connection : session.connection,
      ticket: session.ticket,
      expires: session.ticketExpiresUs,
      refresh,
      // One id for whatever rotates this token: a repeat must not look like a thief's.
      rotationOp: refresh === before?.refresh ? before.rotationOp : newOp(),
    };
    if (session.wallet) this.wallet = session.wallet;
    for (const penalty of session.penalties) this.onpenalty(penalty);
    if (this.phase === "open") return; // renewed
    this.phase = "open";
    this.attempts = 0;
    const resumed = entry.kind === "resume";
    if (resumed) this.resumes += 1;
    const named = resumed ? this.named : new Set();
    for (const ref of session.seats) this.#follow(ref);
    for (const table of this.tables.values()) {
      if (!named.has(table.ref.table)) this.#watch(table);
    }
    if (this.grid) this.pending.add("watchGrid", this.grid, { internal: true });
  }

  #refused(entry, refusal) {
    const now = performance.now();
    if (entry.id === this.hello) {
      if (refusal.code === "UPGRADE_REQUIRED") this.#end(refusal.code);
      else this.#elsewhere(refusal.code, refusal.params.elsewhere);
    } else if (entry.kind === "resume") {
      if (refusal.code === "BAD_TICKET" && this.opener) this.#openAgain();
      else if (SHUT_OUT.has(refusal.code)) this.#end(refusal.code);
      else this.#elsewhere(refusal.code);
    } else if (TRANSIENT.has(refusal.code) && entry.refusals < 20) {
      setTimeout(() => this.#send(), this.pending.again(entry, now, refusal.retryAfterMs) + 5);
    } else {
      if (entry.kind === "watch") this.tables.delete(entry.command.body.value.table.table);
      entry.reject(new Refused(refusal));
    }
  }

  // The device secret opens the account again; its seats come with the session.
  #openAgain() {
    this.session = null;
    const [kind, value] = this.opener();
    this.pending.add(kind, value, { op: newOp() });
  }

  // `hint`: whether that is a gateway of the hall its key will prove.
  #elsewhere(why, hint = "") {
    this.turn += 1;
    if (mayGo(this.url, hint)) this.hint = hint;
    this.link.close(why);
  }

  #follow(ref) {
    const known = this.tables.get(ref.table);
    if (known) return known;
    const made = new Mirror(ref);
    this.tables.set(ref.table, made);
    return made;
  }

  #watch(table) {
    const cursor = table.known ? table.cursor() : undefined;
    this.pending.add("watch", { table: table.ref, cursor, key: table.key }, { internal: true });
  }

  #table(update) {
    const id = update.table.table;
    let table = this.tables.get(id);
    if (!table) {
      // A new seat's snapshot may come before the answer that tells of the seat.
      const snapshot = update.kind.case === "snapshot" && update.kind.value.seat >= 0;
      if (!snapshot && !this.pending.anyOf("quickJoin", "sit")) return; // one that we left
      table = this.#follow(update.table);
    }
    const outcome = table.apply(update);
    if (outcome === "applied" && update.kind.case === "step" && update.kind.value.events.length) {
      this.onevents(table, update.kind.value.events.map(readEvent));
    } else if (outcome === "resync" && !table.asked) {
      table.asked = true;
      this.pending.add("resync", { table: table.ref, check: table.check }, { internal: true });
    }
  }

  #presence(update) {
    const table = this.tables.get(update.table.table);
    if (!table) return;
    table.away = update.away;
    table.spectators = update.spectators;
    table.setClocks(update.clocks);
  }

  #notice(notice) {
    this.onnotice(notice);
    if (ENDINGS.has(notice.code)) this.#end(notice.code);
    else if (notice.code === "DRAINING") this.#elsewhere("DRAINING");
    else if (["TABLE_GONE", "SEAT_LOST"].includes(notice.code)) {
      this.tables.delete(notice.table.table);
    }
  }
}
