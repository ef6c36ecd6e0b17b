// The page: draws the client's state, and turns clicks into commands. It remembers nothing of
// the game; what is drawn comes from the view alone. Names are put in as text, never as HTML.

import { fromBase64url, random, toBase64url } from "./net/bytes.js";
import { HallClient } from "./net/client.js";
import { Codec } from "./net/codec.js";
import { texts } from "./texts.js";

const ROOM = "doudizhu.novice";
const SECRET_KEY = "paiju.device-secret";
const SUITS = { s: "♠", h: "♥", c: "♣", d: "♦" };

const at = (id) => document.getElementById(id);
const locale = navigator.language.startsWith("zh") ? "zh" : "en";
const t = texts(locale);
const chosen = new Set();
let client = null;

// The guest's secret opens the account again after the page was closed.
function deviceSecret() {
  const kept = localStorage.getItem(SECRET_KEY);
  if (kept) return fromBase64url(kept);
  const made = random(32);
  localStorage.setItem(SECRET_KEY, toBase64url(made));
  return made;
}

async function start() {
  document.documentElement.lang = locale;
  for (const id of ["sit", "robots", "ready", "leave"]) at(id).textContent = t(id);
  if (!globalThis.isSecureContext || !crypto.subtle) {
    at("status").textContent = t("insecure");
    return;
  }
  at("status").textContent = t("connecting");
  const hall = await (await fetch("hall.json", { cache: "no-cache" })).json();
  client = new HallClient({
    gateways: hall.gateways,
    serverKeys: hall.server_keys.map(fromBase64url),
    codec: await Codec.load("wire.binpb"),
    locale,
  });
  globalThis.paiju = client; // for a look from the browser's console
  client.onchange = draw;
  client.onnotice = (notice) => say(notice.text || notice.code);
  await client.guest(deviceSecret());
  draw();
}

const table = () => [...client.tables.values()].find((found) => found.known && found.seat >= 0);
const say = (sentence) => {
  at("said").textContent = sentence;
};

// Run a command of the person; a refusal is a sentence below the table.
async function command(work) {
  say("");
  try {
    await work();
    await client.call("getWallet", {});
  } catch (error) {
    say(error.message);
  }
  draw();
}

at("sit").onclick = () => command(() => client.quickJoin(ROOM));
at("ready").onclick = () => command(() => client.ready(table(), random(32)));
at("leave").onclick = () =>
  command(async () => {
    const playing = table().view["@phase"] === "playing";
    if (!playing || confirm(t("really"))) await client.stand(table(), playing);
  });
at("robots").onclick = () =>
  command(async () => {
    const { room, shard, table: id } = table().ref;
    const body = JSON.stringify({ room, shard, table: String(id) });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("robots", { method: "POST", headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  });

// ---- drawing ---------------------------------------------------------------------------------

function draw() {
  at("status").textContent = status();
  const { wallet } = client;
  at("purse").textContent = wallet ? t("purse", { coin: wallet.coin, stake: wallet.escrow }) : "";
  const now = table();
  at("lobby").hidden = Boolean(now) || client.phase !== "open";
  at("table").hidden = !now;
  if (now) drawTable(now.view, now);
}

function status() {
  if (client.phase === "ended") return t("ended", { code: client.ending });
  if (client.phase === "open") return t("connected", { name: client.session.profile.name });
  return t(client.session ? "lost" : "connecting");
}

const shown = (card) =>
  card === "BJ" ? "🃏b" : card === "RJ" ? "🃏R" : `${card[0].replace("T", "10")}${SUITS[card[1]]}`;

function seatsOf(view) {
  const seats = [];
  while (`@seat${seats.length}` in view) seats.push(view[`@seat${seats.length}`]);
  return seats;
}

const nameOf = (view, seat) => (seat === view["@you"] ? t("you") : view[`@seat${seat}`]?.name);

function drawTable(view, mirror) {
  const acts = view["@phase"] === "playing" ? (view.to_act ?? []) : [];
  const lines = seatsOf(view).map((seat, n) => (seat ? seatLine(view, mirror, n) : t("free")));
  fill("seats", JSON.stringify([lines, acts]), () =>
    lines.map((line, number) => {
      const item = document.createElement("li");
      item.classList.toggle("acts", acts.includes(number));
      item.textContent = line;
      return item;
    }),
  );
  at("middle").textContent = middle(view);
  const mine = acts.includes(view["@you"]);
  at("turn").textContent = mine
    ? t("yourturn")
    : acts.length
      ? t("theirturn", { name: nameOf(view, acts[0]) })
      : t("waiting");
  drawCards(view, mirror);
  drawVerbs(view, mirror);
  at("result").textContent = resultLine(view);
  const waiting = view["@phase"] === "waiting";
  at("robots").hidden = seatsOf(view).every(Boolean);
  at("ready").hidden = !waiting || Boolean(view[`@seat${view["@you"]}`]?.ready);
}

function seatLine(view, mirror, seat) {
  const held = view[`@seat${seat}`];
  const parts = [nameOf(view, seat), String(held.stake)];
  if (view.landlord === seat) parts.push(t("landlord"));
  if (mirror.away.includes(seat)) parts.push(t("away"));
  if (view["@phase"] === "waiting" && held.ready) parts.push("✓");
  if (view.counts) parts.push(t("cards", { count: view.counts[seat] }));
  const last = view.shown?.[seat];
  if (last) parts.push(last.length ? last.map(shown).join(" ") : t("pass"));
  return parts.join(" · ");
}

function middle(view) {
  const parts = [];
  if (view.bottom) parts.push(t("bottom", { cards: view.bottom.map(shown).join(" ") }));
  if (view.base) parts.push(t("stakes", view));
  return parts.join(" · ");
}

function resultLine(view) {
  const end = view["@result"];
  if (view["@phase"] !== "waiting" || !end) return "";
  const amount = end.deltas[view["@you"]];
  const key = amount >= 0 ? "won" : "lostHand";
  return t(key, { hand: view["@hand"], amount: Math.abs(amount) });
}

// Elements are made anew only when what they show has changed: focus and clicks survive.
const drawn = new Map();

function fill(id, key, make) {
  if (drawn.get(id) === key) return;
  drawn.set(id, key);
  at(id).replaceChildren(...make());
}

function drawCards(view, mirror) {
  const hand = view["@phase"] === "playing" ? (view.hand ?? []) : [];
  for (const card of chosen) if (!hand.includes(card)) chosen.delete(card);
  fill("cards", hand.join(), () =>
    hand.map((card) => {
      const button = document.createElement("button");
      button.textContent = shown(card);
      button.dataset.card = card;
      button.className = "hd".includes(card[1]) || card === "RJ" ? "red" : "";
      button.onclick = () => {
        if (!chosen.delete(card)) chosen.add(card);
        drawTable(mirror.view, mirror);
      };
      return button;
    }),
  );
  for (const button of at("cards").children) {
    button.setAttribute("aria-pressed", String(chosen.has(button.dataset.card)));
  }
}

function drawVerbs(view, mirror) {
  const verbs = view["@phase"] === "playing" ? (view.legal ?? []) : [];
  fill("verbs", `${view.phase}:${verbs.join()}`, () =>
    verbs.map((verb) => {
      const button = document.createElement("button");
      const [word, number] = verb.split(" ");
      button.dataset.verb = verb;
      button.textContent = word === "call"
        ? t("call", { n: number })
        : t(word === "pass" && view.phase === "bid" ? "nocall" : word);
      button.onclick = () => act(mirror, word, verb);
      return button;
    }),
  );
  for (const button of at("verbs").children) {
    button.disabled = button.dataset.verb === "play" && chosen.size === 0;
  }
}

function act(mirror, word, verb) {
  const cards = mirror.view.hand.filter((card) => chosen.has(card));
  command(() => client.act(mirror, word === "play" ? `play ${cards.join(" ")}` : verb));
}

start().catch((error) => {
  at("status").textContent = error.message;
});
