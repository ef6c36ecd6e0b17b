// The frame of a table: whose move it is, chat, log, help, leaving. The game's own view stands
// in the middle; what it may do is ctx (docs/contracts/views.md).

import { html, signal, useEffect, useLayoutEffect, useMemo, useRef, useState } from "@hall/ui";
import { Speaker } from "../kit/facts.js";
import { seatCount } from "../kit/model.js";
import { Lazy } from "./hall.js";
import { invitationTo } from "./invitation.js";
import { settings } from "./settings.js";
import { loadWords, viewOf } from "./views.js";

const panels = () => import("./panels.js");

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
  const watching = view["@you"] < 0;
  return html`
    <main id="table" class="table">
      <div class="bar">
        <button id="leave" type="button" class="weak" onClick=${() => (watching ? store.leave(mirror) : toggle("leave"))}>${t("leave")}</button>
        <h2>${game?.title[locale] ?? view["@table"].game}<small>${t("hand", { hand: view["@hand"] })}</small></h2>
        ${store.table.value.spectators > 0 && html`<small id="spectators">${t("spectators", { count: store.table.value.spectators })}</small>`}
        <button id="help" type="button" class="icon" aria-label=${t("help")} aria-expanded=${String(panel === "help")}
          onClick=${() => toggle("help")}>?</button>
        <button id="talk" type="button" class="icon" aria-label=${t("chat")} aria-expanded=${String(panel === "chat")}
          onClick=${() => toggle("chat")}>…</button>
      </div>
      ${words && html`
        <${Turn} store=${store} words=${words} />
        <${GameView} store=${store} game=${game} words=${words} locale=${locale} />
        <${Between} store=${store} words=${words} />
        ${panel && html`<${Lazy} from=${panels} name=${{ leave: "Leave", help: "Help", chat: "Chat" }[panel]}
          key=${panel} store=${store} game=${game} words=${words} mirror=${mirror} onClose=${() => open("")} />`}`}
    </main>`;
}

function GameView({ store, game, words, locale }) {
  const place = useRef(null);
  const instance = useRef(null);
  const kept = useRef(undefined); // from an older version of the view
  const live = useMemo(() => signal({ away: [], clocks: [] }), []);
  const now = store.table.value;
  useEffect(() => {
    let gone = false;
    viewOf(store, game).then((made) => {
      if (gone) return;
      instance.current = made.mount(place.current, {
        locale, t: store.t, words, live,
        mode: store.table.value.view["@you"] < 0 ? "spectate" : "play",
        send: (line) => store.act(store.table.value.mirror, line),
        hint: (view) => store.hint(view),
      });
      if (kept.current !== undefined) instance.current.restore?.(kept.current);
      show();
    });
    return () => {
      gone = true;
      kept.current = instance.current?.state?.();
      instance.current?.destroy();
      instance.current = null;
    };
  }, [game?.view, locale]);
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
  const watching = view["@you"] < 0;
  const ready = seats[view["@you"]]?.ready;
  return html`
    <section class="between">
      <${Result} view=${view} seats=${seats} t=${t} words=${words} />
      <div class="buttons" id="manage">
        ${watching && seats.map((seat, n) => !seat && html`
          <button key=${n} type="button" data-seat=${n} onClick=${() => store.sitAt(mirror.ref, n, mirror.key)}>${t("sithere", { seat: n + 1 })}</button>`)}
        ${!watching && !full && html`<${Invite} mirror=${mirror} t=${t} />`}
        ${!watching && !full && html`<button id="robots" type="button" onClick=${() => store.callRobots(mirror)}>${t("robots")}</button>`}
        ${!watching && !ready && html`<button id="ready" type="button" class="gold" onClick=${() => store.ready(mirror)}>
          ${t(view["@result"] ? "again" : "ready")}</button>`}
      </div>
    </section>`;
}

// The link is shown, so that it can be copied where a page may not.
function Invite({ mirror, t }) {
  const [link, show] = useState("");
  const invite = () => {
    const made = invitationTo(mirror);
    show(made);
    navigator.clipboard?.writeText(made).catch(() => {});
  };
  return link
    ? html`<label class="invite">${t("copied")}
        <input id="invitation" readonly value=${link} onFocus=${(event) => event.target.select()} /></label>`
    : html`<button id="invite" type="button" class="weak" onClick=${invite}>${t("invite")}</button>`;
}

function Result({ view, seats, t, words }) {
  const end = view["@result"];
  if (!end) return null;
  const own = end.deltas[view["@you"]] ?? 0;
  const key = end.result === "void" ? "voided" : view["@you"] < 0 ? "over" : own > 0 ? "won" : own < 0 ? "lostHand" : "even";
  const names = new Speaker(words, seats.map((seat, n) => (n === view["@you"] ? t("you") : seat?.name ?? "-")));
  return html`
    <div id="result" aria-live="polite" class=${own > 0 ? "won" : own < 0 ? "lost" : ""}>
      <b>${t(key, { hand: view["@hand"], amount: Math.abs(own) })}</b>
      <ol>${end.deltas.map((delta, seat) => html`
        <li key=${seat}><span>${names.seat(seat)}</span><span class="delta">${delta > 0 ? "+" : ""}${delta}</span></li>`)}</ol>
    </div>`;
}
