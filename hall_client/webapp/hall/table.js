// The frame of a table: whose move it is, chat, log, help, leaving. The game's own view stands
// in the middle; what it may do is ctx (docs/contracts/views.md).

import { html, signal, useEffect, useLayoutEffect, useMemo, useRef, useState } from "@hall/ui";
import { Speaker } from "../kit/facts.js";
import { seatCount } from "../kit/model.js";
import { Words } from "../kit/words.js";
import { importVerified } from "../net/parts.js";
import { Lazy } from "./hall.js";
import { settings } from "./settings.js";

const panels = () => import("./panels.js");
let tables = null; // words.json, once per page

async function loadWords(locale) {
  tables ??= fetch("words.json").then((answer) => answer.json());
  return new Words(await tables, locale);
}

export function Table({ store }) {
  const { t } = store;
  const locale = settings.locale.value;
  const { mirror, view } = store.table.value;
  const [words, setWords] = useState(null);
  const [panel, open] = useState("");
  useEffect(() => {
    loadWords(locale).then(setWords);
  }, [locale]);
  const game = store.game(view["@table"].game);
  const toggle = (name) => open(panel === name ? "" : name);
  return html`
    <main id="table" class="table">
      <div class="bar">
        <button id="leave" type="button" class="weak" onClick=${() => toggle("leave")}>${t("leave")}</button>
        <h2>${game?.title[locale] ?? view["@table"].game}<small>${t("hand", { hand: view["@hand"] })}</small></h2>
        <button id="help" type="button" class="icon" aria-label=${t("help")} aria-expanded=${String(panel === "help")}
          onClick=${() => toggle("help")}>?</button>
        <button id="talk" type="button" class="icon" aria-label=${t("chat")} aria-expanded=${String(panel === "chat")}
          onClick=${() => toggle("chat")}>…</button>
      </div>
      ${words && html`
        <${Turn} store=${store} words=${words} />
        <${GameView} store=${store} words=${words} locale=${locale} />
        <${Between} store=${store} words=${words} />
        ${panel && html`<${Lazy} from=${panels} name=${{ leave: "Leave", help: "Help", chat: "Chat" }[panel]}
          key=${panel} store=${store} game=${game} words=${words} mirror=${mirror} onClose=${() => open("")} />`}`}
    </main>`;
}

// The view of the package, or the plain board for a game that brings none. A view that cannot be
// had, or is not what was published, stops nobody from playing.
async function viewOf(store, room) {
  try {
    const part = await store.part(room, "view.js");
    if (part) return (await importVerified(part)).default;
  } catch (error) {
    console.warn(error.message);
  }
  return (await import("../kit/index.js")).boardView();
}

function GameView({ store, words, locale }) {
  const place = useRef(null);
  const instance = useRef(null);
  const live = useMemo(() => signal({ away: [], clocks: [] }), []);
  const now = store.table.value;
  const room = now.view["@table"].room;
  useEffect(() => {
    let gone = false;
    viewOf(store, room).then((made) => {
      if (gone) return;
      instance.current = made.mount(place.current, {
        locale, t: store.t, words, live, mode: "play",
        send: (line) => store.act(store.table.value.mirror, line),
        hint: (view) => store.hint(view),
      });
      show();
    });
    return () => {
      gone = true;
      instance.current?.destroy();
      instance.current = null;
    };
  }, [room, locale]);
  const show = () => {
    const { view, away, clocks } = store.table.value;
    live.value = { away, clocks };
    instance.current?.update(view);
  };
  useLayoutEffect(() => {
    if (store.table.value) show();
  }, [now]);
  return html`<div class="game-view" ref=${place}></div>`;
}

// Whose move it is, in one line that is also read aloud.
function Turn({ store }) {
  const { t } = store;
  const { view } = store.table.value;
  const acts = view["@phase"] === "playing" ? view.to_act ?? [] : [];
  const mine = acts.includes(view["@you"]);
  const name = acts.length > 1 ? t("several", { count: acts.length }) : view[`@seat${acts[0]}`]?.name;
  return html`<p id="turn" aria-live="polite" class=${mine ? "mine" : ""}>
    ${mine ? t("yourturn") : acts.length && acts[0] >= 0 ? t("theirturn", { name })
      : t(view["@phase"] === "playing" ? "dealing" : "waiting")}</p>`;
}

// Before a hand and after it: the result, robots, ready.
function Between({ store, words }) {
  const { t } = store;
  const { mirror, view } = store.table.value;
  if (view["@phase"] === "playing") return null;
  const seats = Array.from({ length: seatCount(view) }, (_, n) => view[`@seat${n}`]);
  const full = seats.every(Boolean);
  const ready = seats[view["@you"]]?.ready;
  return html`
    <section class="between">
      <${Result} view=${view} seats=${seats} t=${t} words=${words} />
      <div class="buttons" id="manage">
        ${!full && html`<button id="robots" type="button" onClick=${() => store.callRobots(mirror)}>${t("robots")}</button>`}
        ${!ready && html`<button id="ready" type="button" class="gold" onClick=${() => store.ready(mirror)}>
          ${t(view["@result"] ? "again" : "ready")}</button>`}
      </div>
    </section>`;
}

function Result({ view, seats, t, words }) {
  const end = view["@result"];
  if (!end) return null;
  const own = end.deltas[view["@you"]] ?? 0;
  const key = end.result === "void" ? "voided" : own > 0 ? "won" : own < 0 ? "lostHand" : "even";
  const names = new Speaker(words, seats.map((seat, n) => (n === view["@you"] ? t("you") : seat?.name ?? "-")));
  return html`
    <div id="result" aria-live="polite" class=${own > 0 ? "won" : own < 0 ? "lost" : ""}>
      <b>${t(key, { hand: view["@hand"], amount: Math.abs(own) })}</b>
      <ol>${end.deltas.map((delta, seat) => html`
        <li key=${seat}><span>${names.seat(seat)}</span><span class="delta">${delta > 0 ? "+" : ""}${delta}</span></li>`)}</ol>
    </div>`;
}
