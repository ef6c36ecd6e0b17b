// Finished hands: the list of one's own, and the replay of one, with the proof of its deal.

import { html, signal, useEffect, useLayoutEffect, useMemo, useRef, useState } from "@hall/ui";
import { Speaker } from "../kit/facts.js";
import { linkTo, promised, recordIn } from "./records.js";
import { settings } from "./settings.js";
import { loadWords, viewOf } from "./views.js";

const SPEEDS = [1, 2, 4];
const LONGEST_MS = 2_500; // nobody waits longer for a move than that, however long it took
const SHORTEST_MS = 350;
const SPECTATOR = -2;

export function Hands({ store }) {
  const { t } = store;
  const locale = settings.locale.value;
  const [hands, set] = useState(null);
  const [before, setBefore] = useState(0n);
  const more = async () => {
    const page = await store.run(() => store.client.hands(before));
    if (!page) return;
    set([...(hands ?? []), ...page.hands]);
    setBefore(page.beforeUs);
  };
  useEffect(() => {
    more();
  }, []);
  return html`
    <main class="lobby" id="hands">
      <div class="bar"><button id="home" type="button" class="weak" onClick=${() => store.show(null)}>${t("back")}</button>
        <h2>${t("myhands")}</h2></div>
      ${hands?.length === 0 && html`<p class="none">${t("nohands")}</p>`}
      <ul class="hands">
        ${(hands ?? []).map((one) => html`
          <li key=${`${one.table}.${one.hand}`}>
            <button type="button" class="hand-of" onClick=${() => store.openHand(one)}>
              <b>${store.game(one.game)?.title[locale] ?? one.game}</b>
              <span class=${one.deltas[one.seat] > 0n ? "delta won" : "delta"}>${one.deltas[one.seat] > 0n ? "+" : ""}${String(one.deltas[one.seat] ?? 0n)}</span>
              <small>${one.names.filter((_, seat) => seat !== one.seat).join(", ")}</small>
              <small><time>${new Date(Number(one.endedUs / 1000n)).toLocaleString(locale === "zh" ? "zh-CN" : "en-GB", { dateStyle: "short", timeStyle: "short" })}</time></small>
            </button></li>`)}
      </ul>
      ${hands !== null && before > 0n && html`<button id="more" type="button" onClick=${more}>${t("more")}</button>`}
    </main>`;
}

async function fetchBoards(packed, seat, names) {
  const query = new URLSearchParams([["seat", seat], ...names.map((name) => ["name", name])]);
  const answer = await fetch(`replay?${query}`, {
    method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: packed,
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { view, steps } = await answer.json();
  const boards = [{ view, events: [], ms: 0 }];
  for (const step of steps) {
    const next = { ...boards.at(-1).view, ...step.set };
    for (const key of step.del) delete next[key];
    boards.push({ view: next, events: step.events, ms: step.ms });
  }
  return boards;
}

// hand: { packed, names, seat }
export function Replay({ store, hand }) {
  const { t } = store;
  const locale = settings.locale.value;
  const [record, setRecord] = useState(null);
  const [seat, look] = useState(hand.seat ?? 0);
  const [boards, setBoards] = useState(null);
  const [words, setWords] = useState(null);
  const [at, go] = useState(0);
  const [speed, run] = useState(0); // 0: it stands
  useEffect(() => {
    store.run(async () => setRecord(await recordIn(hand.packed)));
  }, [hand]);
  useEffect(() => {
    store.run(async () => setBoards(await fetchBoards(hand.packed, seat, hand.names)));
  }, [hand, seat]);
  useEffect(() => {
    loadWords(locale).then(setWords);
  }, [locale]);
  const last = (boards?.length ?? 1) - 1;
  useEffect(() => {
    if (!speed || !boards || at >= last) return undefined;
    const took = boards[at + 1].ms - boards[at].ms;
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, took)) / speed;
    const timer = setTimeout(() => go(at + 1), pause);
    return () => clearTimeout(timer);
  }, [speed, at, boards]);
  const game = store.game(record?.game);
  if (!boards || !words || !record) return html`<main class="lobby loading"></main>`;
  const names = record.seats.map((_, n) => hand.names[n] || `#${n + 1}`);
  const seek = (to) => {
    run(0);
    go(Math.max(0, Math.min(last, to)));
  };
  return html`
    <main class="table replay" id="replay">
      <div class="bar">
        <button id="home" type="button" class="weak" onClick=${() => store.show(null)}>${t("back")}</button>
        <h2>${game?.title[locale] ?? record.game}<small>${t("hand", { hand: record.hand })}</small></h2>
        <label class="row">${t("eyes")}
          <select id="eyes" value=${seat} onChange=${(event) => look(Number(event.target.value))}>
            ${names.map((name, n) => html`<option key=${n} value=${n}>${name}</option>`)}
            <option value=${SPECTATOR}>${t("everybody")}</option>
          </select></label>
      </div>
      <div class="controls" role="group" aria-label=${t("replay")}>
        <button type="button" class="icon" aria-label=${t("stepback")} disabled=${at === 0} onClick=${() => seek(at - 1)}>⏮</button>
        <button id="run" type="button" class="icon" aria-label=${t(speed ? "pause" : "run")}
          onClick=${() => (at >= last ? (go(0), run(1)) : run(speed ? 0 : 1))}>${speed && at < last ? "⏸" : "▶"}</button>
        <button type="button" class="icon" aria-label=${t("stepon")} disabled=${at === last} onClick=${() => seek(at + 1)}>⏭</button>
        <input id="scrubber" type="range" min="0" max=${last} value=${at} aria-label=${t("position")}
          aria-valuetext=${`${at} / ${last}`} onInput=${(event) => seek(Number(event.target.value))} />
        <span class="at">${at} / ${last}</span>
        <button id="speed" type="button" class="weak" aria-label=${t("speed")}
          onClick=${() => run(SPEEDS[(SPEEDS.indexOf(speed || 1) + 1) % SPEEDS.length])}>${speed || 1}×</button>
      </div>
      <p class="told" aria-live="off">${sentences(words, names, boards[at].events)}</p>
      <${Board} store=${store} board=${boards[at]} game=${game} words=${words} t=${t} locale=${locale} />
      <${Proof} store=${store} record=${record} hand=${hand} />
    </main>`;
}

function sentences(words, names, events) {
  const speaker = new Speaker(words, names);
  return events.map((event) => speaker.event(event)).filter(Boolean).at(-1) ?? "";
}

// The same view as at the table; it may only look.
function Board({ store, board, game, words, t, locale }) {
  const place = useRef(null);
  const instance = useRef(null);
  const live = useMemo(() => signal({ away: [], clocks: [] }), []);
  const shown = { ...board.view, to_act: board.view.to_act ?? [], legal: [], early: [], moves: [] };
  useEffect(() => {
    let gone = false;
    viewOf(store, game).then((made) => {
      if (gone) return;
      const nothing = () => Promise.resolve(null);
      instance.current = made.mount(place.current, {
        locale, t, words, live, mode: "replay", send: nothing, hint: null,
      });
      instance.current.update(shown);
    });
    return () => {
      gone = true;
      instance.current?.destroy();
      instance.current = null;
    };
  }, [game?.view, locale]);
  useLayoutEffect(() => instance.current?.update(shown), [board]);
  return html`<div class="game-view" ref=${place}></div>`;
}

// The proof is worked out in this browser; a server could only claim it.
function Proof({ store, record, hand }) {
  const { t } = store;
  const [found, set] = useState(null);
  const [link, share] = useState("");
  const check = () => store.run(async () => {
    const { verify } = await import("./fairness.js");
    set(await verify(record, promised(record.table, record.hand)));
  });
  const copy = () => {
    const made = linkTo(hand);
    share(made);
    navigator.clipboard?.writeText(made).catch(() => {});
  };
  const sign = (ok) => (ok === null ? "–" : ok ? "✓" : "✗");
  return html`
    <section class="between proof">
      <div class="buttons">
        <button id="verify" type="button" onClick=${check}>${t("verify")}</button>
        ${link ? html`<label class="invite">${t("copied")}
          <input id="sharelink" readonly value=${link} onFocus=${(event) => event.target.select()} /></label>`
        : html`<button id="share" type="button" class="weak" onClick=${copy}>${t("sharehand")}</button>`}
      </div>
      ${found && html`<ul id="proof" aria-live="polite">
        ${found.map(({ what, ok }) => html`
          <li key=${what} data-ok=${String(ok)}><span aria-hidden="true">${sign(ok)}</span>
            ${t(ok === null ? `${what}.none` : ok ? what : `${what}.not`)}</li>`)}
      </ul>`}
    </section>`;
}
