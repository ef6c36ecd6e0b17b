// The client's state as signals, and the person's commands. A screen reads signals and calls
// commands; it never touches the connection.

import { batch, signal } from "@hall/ui";
import { random } from "../net/bytes.js";
import { Parts } from "../net/parts.js";
import { texts } from "../texts.js";
import { deviceSecret, settings } from "./settings.js";

const ROOMS_EVERY_MS = 5_000;
const CHAT_LINES = 60;
const LOG_LINES = 80;
const SAID_MS = 6_000;

export class Store {
  #packages = new Map(); // room -> as in the list of rooms, of the versions that are offered

  constructor(client, games) {
    this.client = client;
    this.games = games; // as in hall.json
    this.parts = new Parts(client);
    this.connection = signal({ phase: "offline", name: "", ending: "", back: false });
    this.wallet = signal(null);
    this.rooms = signal([]);
    this.table = signal(null); // { mirror, view, seq, away, clocks } of the table in front
    this.said = signal("");
    this.penalties = signal([]); // not yet seen by the person
    this.chat = signal([]);
    this.events = signal([]); // the newest last
    client.onchange = () => this.#changed();
    client.onnotice = (notice) => this.say(notice.text || notice.code);
    client.onrooms = () => {
      this.#packages.clear();
      this.#refreshRooms().catch(() => {});
    };
    client.onpenalty = (penalty) => {
      const known = this.penalties.value.some((one) => one.id === penalty.id);
      if (!known) this.penalties.value = [...this.penalties.value, penalty];
    };
    client.onchat = (line) => {
      this.chat.value = [...this.chat.value, line].slice(-CHAT_LINES);
    };
    client.onevents = (table, events) => {
      if (table !== this.table.value?.mirror) return;
      this.events.value = [...this.events.value, ...events].slice(-LOG_LINES);
    };
  }

  get t() {
    return texts(settings.locale.value);
  }

  // A guest until somebody logs in.
  async open() {
    await this.client.guest(deviceSecret());
    await this.#refreshRooms();
    setInterval(() => this.#refreshRooms().catch(() => {}), ROOMS_EVERY_MS);
  }

  game(name) {
    return this.games.find((game) => game.name === name);
  }

  // Games of the page's server, and those that were published since it started: these are shown
  // by the names of their rooms.
  get allGames() {
    const more = new Map();
    for (const { game: name, title, seats } of this.rooms.value) {
      if (!this.game(name) && !more.has(name)) {
        more.set(name, { name, package: name, title, seats: [seats, seats] });
      }
    }
    return [...this.games, ...more.values()];
  }

  // A file of the package that a room is played by, as { url, integrity }; null: there is none.
  async part(id, path) {
    if (!this.#packages.has(id)) {
      for (const room of (await this.client.rooms()).rooms) this.#packages.set(room.id, room);
    }
    const room = this.#packages.get(id);
    return room ? this.parts.find(room.package, room.packageVersion, path) : null;
  }

  seen(penalty) {
    this.penalties.value = this.penalties.value.filter((one) => one.id !== penalty.id);
    return this.run(() => this.client.heard(penalty));
  }

  // ---- commands: a refusal becomes a sentence, never an exception in a screen -----------------

  async run(work) {
    this.say("");
    try {
      return await work();
    } catch (error) {
      this.say(error.message);
      return undefined;
    }
  }

  sit(room) {
    return this.run(async () => {
      const mirror = await this.client.quickJoin(room);
      await this.#wallet();
      return mirror;
    });
  }

  // A seat, robots on the others, and ready: one click to a game.
  async playWithRobots(room) {
    const mirror = await this.sit(room);
    if (!mirror) return;
    if (await this.callRobots(mirror)) await this.ready(mirror);
  }

  callRobots(mirror) {
    return this.run(async () => {
      const { room, shard, table } = mirror.ref;
      const body = JSON.stringify({ room, shard, table: String(table) });
      await post("robots", body);
      return true;
    });
  }

  ready(mirror) {
    return this.run(() => this.client.ready(mirror, random(32)));
  }

  act(mirror, line) {
    return this.run(() => this.client.act(mirror, line));
  }

  // An abandoned hand is only left when the person has heard what it costs.
  leave(mirror, abandon = false) {
    return this.run(async () => {
      await this.client.stand(mirror, abandon);
      await this.#wallet();
    });
  }

  speak(mirror, text) {
    return this.run(() => this.client.chat(mirror, text));
  }

  // A line for the seat whose view this is; null when nobody can advise.
  hint(view) {
    return this.run(async () => JSON.parse(await post("advice", JSON.stringify(view))).hint);
  }

  say(sentence) {
    clearTimeout(this.silence);
    this.said.value = sentence;
    if (sentence) this.silence = setTimeout(() => this.say(""), SAID_MS);
  }

  // ---- from the client ------------------------------------------------------------------------

  async #wallet() {
    await this.client.call("getWallet", {});
  }

  async #refreshRooms() {
    if (document.hidden || this.table.value || this.client.phase !== "open") return;
    this.rooms.value = (await this.client.rooms()).rooms;
  }

  #changed() {
    const { client } = this;
    batch(() => {
      this.#show(this.connection, {
        phase: client.phase,
        name: client.session?.profile.name ?? "",
        ending: client.ending,
        back: Boolean(client.session) && client.phase !== "open",
      });
      if (this.wallet.value !== client.wallet) this.wallet.value = client.wallet;
      this.#showTable();
    });
  }

  #show(target, value) {
    if (JSON.stringify(target.value) !== JSON.stringify(value)) target.value = value;
  }

  #showTable() {
    const mirror = [...this.client.tables.values()].find((found) => found.known && found.seat >= 0);
    const before = this.table.value;
    if (!mirror) {
      if (before) {
        this.table.value = null;
        this.#refreshRooms().catch(() => {});
      }
      return;
    }
    if (before?.mirror !== mirror) {
      this.events.value = [];
      this.chat.value = [];
    }
    const { view, seq, away, clocks } = mirror;
    const same = before?.mirror === mirror && before.view === view && before.away === away &&
      before.clocks === clocks;
    if (!same) this.table.value = { mirror, view, seq, away, clocks };
  }
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body,
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(said);
  return said;
}
