// The client's state as signals, and the person's commands. A screen reads signals and calls
// commands; it never touches the connection.

import { batch, signal } from "@hall/ui";
import { random } from "../net/bytes.js";
import { texts } from "../texts.js";
import { invitationIn } from "./invitation.js";
import { News } from "./news.js";
import { handIn, remember } from "./records.js";
import { deviceSecret, settings } from "./settings.js";

const ROOMS_EVERY_MS = 5_000;
const HALL_AGAIN_MS = 1_200;
const CHAT_LINES = 60;
const LOG_LINES = 80;
const SAID_MS = 6_000;

export class Store {
  // hall: what hall.json said; again(): what it says now.
  constructor(client, hall, again) {
    this.client = client;
    this.hall = signal(hall);
    this.again = again;
    this.news = new News();
    this.connection = signal({ phase: "offline", name: "", ending: "", back: false });
    this.wallet = signal(null);
    this.rooms = signal([]);
    this.table = signal(null); // { mirror, view, seq, away, clocks } of the table in front
    this.said = signal("");
    this.penalties = signal([]); // not yet seen by the person
    this.chat = signal([]);
    this.events = signal([]); // the newest last
    this.screen = signal(null); // { name, hand } of a screen in the hall's place
    this.grid = signal(null); // { room, tables: [...] } that is looked at in the hall
    client.onchange = () => this.#changed();
    client.onnotice = (notice) => this.say(notice.text || notice.code);
    client.onrooms = () => {
      this.#refreshRooms().catch(() => {});
      this.refreshHall();
    };
    client.onpenalty = (penalty) => {
      const known = this.penalties.value.some((one) => one.id === penalty.id);
      if (!known) this.penalties.value = [...this.penalties.value, penalty];
    };
    client.ongrid = (update) => this.#grid(update);
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
    addEventListener("hashchange", () => this.#followLink());
    await this.#followLink();
  }

  // A link leads to a table or brings a hand; neither stays in the address bar.
  async #followLink() {
    const { hash } = location;
    if (!hash) return;
    history.replaceState(null, "", location.pathname);
    const invited = invitationIn(hash);
    if (invited && !this.table.value) await this.watch(invited.ref, invited.key);
    const hand = handIn(hash);
    if (hand) this.show("Replay", hand);
  }

  show(name, hand = null) {
    this.screen.value = name && { name, hand };
  }

  openHand({ table, hand, seat }) {
    return this.run(async () => {
      const { record, names } = await this.client.hand(table, hand);
      this.show("Replay", { packed: record, names, seat });
    });
  }

  // A file of a game's package as { url, integrity }, by what a gateway says of the version that
  // the page's server has, or of the one that is offered; null: neither has it.
  async part(game, path) {
    const { package: name } = game;
    // With the first table: the hall itself shows after few requests.
    this.parts ??= import("../net/parts.js").then(({ Parts }) => new Parts(this.client));
    const parts = await this.parts;
    const told = this.hall.value.packages[name]?.version;
    const room = this.rooms.value.find((one) => one.package === name);
    for (const version of new Set([told, room?.packageVersion])) {
      const found = version && (await parts.find(name, version, path).catch(() => null));
      if (found) return found;
    }
    return null;
  }

  game(name) {
    return this.allGames.find((game) => game.name === name);
  }

  // Views and help of newer versions: an open table takes them without a reload. The page's
  // server may need a moment to get what the rooms offer already.
  async refreshHall(tries = 8) {
    try {
      const hall = await this.again();
      if (JSON.stringify(hall) !== JSON.stringify(this.hall.value)) this.hall.value = hall;
      const late = this.rooms.value.some(({ package: name, packageVersion: version }) =>
        name && version && hall.packages[name]?.version !== version);
      if (late && tries > 0) setTimeout(() => this.refreshHall(tries - 1), HALL_AGAIN_MS);
    } catch {
      // The page's server is away for a moment; what is here goes on.
    }
  }

  // Games of the page's server, and those that were published since it started: these go by the
  // names of their rooms, and by the plain board until their view is here.
  get allGames() {
    const { games, packages } = this.hall.value;
    const known = new Set(games.map((game) => game.name));
    const more = [];
    for (const { game: name, title, seats, package: home } of this.rooms.value) {
      if (known.has(name)) continue;
      known.add(name);
      const { view = null, help = [] } = packages[home] ?? {};
      more.push({ name, package: home || name, title, seats: [seats, seats], view, help });
    }
    return [...games, ...more];
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

  // A table of one's own. key: "" for one that is open to all.
  create(room, key) {
    return this.run(() => this.client.quickJoin(room, { own: true, key }).then(() => this.#wallet()));
  }

  sitAt(ref, seat, key) {
    return this.run(() => this.client.sit(ref, seat, key).then(() => this.#wallet()));
  }

  watch(ref, key) {
    return this.run(() => this.client.watch(ref, key));
  }

  lookAt(room) {
    this.grid.value = room === null ? null : { room, tables: new Map() };
    return this.run(() => this.client.watchGrid(room));
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
      const body = JSON.stringify({ room, shard, table: String(table), key: mirror.key });
      await post("robots", body);
      return true;
    });
  }

  ready(mirror) {
    const contribution = random(32);
    const { "@table": { id }, "@hand": hand, "@next_commitment": commitment } = mirror.view;
    remember(id, hand + 1, commitment, contribution);
    return this.run(() => this.client.ready(mirror, contribution));
  }

  act(mirror, line) {
    return this.run(() => this.client.act(mirror, line));
  }

  // An abandoned hand is only left when the person has heard what it costs.
  leave(mirror, abandon = false) {
    if (mirror.seat < 0) return this.run(() => this.client.unwatch(mirror));
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
    this.news.look(this.rooms.value);
  }

  #grid(update) {
    const now = this.grid.value;
    if (now?.room !== update.room) return;
    const tables = update.full ? new Map() : new Map(now.tables);
    for (const table of update.tables) tables.set(table.table, table);
    for (const table of update.closed) tables.delete(table);
    this.grid.value = { ...now, shard: update.shard, tables };
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
    // A seat of ours comes first, then what we look at.
    const known = [...this.client.tables.values()].filter((found) => found.known);
    const mirror = known.find((found) => found.seat >= 0) ?? known.at(-1);
    const before = this.table.value;
    if (!mirror) {
      if (before) {
        this.table.value = null;
        this.#refreshRooms().catch(() => {});
      }
      return;
    }
    if (before?.mirror !== mirror) {
      if (this.grid.value) this.lookAt(null);
      this.events.value = [];
      this.chat.value = [];
    }
    const { view, seq, away, clocks, spectators } = mirror;
    const same = before?.mirror === mirror && before.view === view && before.away === away &&
      before.clocks === clocks && before.spectators === spectators;
    if (!same) this.table.value = { mirror, view, seq, away, clocks, spectators };
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
