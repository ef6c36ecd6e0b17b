// The tables of a room: seats as buttons, watching, a table of one's own.

import { html, useEffect, useState } from "@hall/ui";
import { random, toBase64url } from "../net/bytes.js";

const KEY_BYTES = 9; // 12 characters that nobody guesses
const FILTERS = {
  all: () => true,
  free: (table, seats) => table.phase !== "playing" && table.seats.length < seats,
  playing: (table) => table.phase === "playing",
};

export function Tables({ store, room }) {
  const { t } = store;
  const [filter, choose] = useState("all");
  const [making, make] = useState(false);
  useEffect(() => {
    store.lookAt(room.id);
    return () => store.lookAt(null);
  }, [room.id]);
  const grid = store.grid.value;
  const tables = grid?.room === room.id ? [...grid.tables.values()] : [];
  const shown = tables.filter((table) => FILTERS[filter](table, room.seats));
  return html`
    <section class="grid-of-tables" id="tables" aria-label=${t("tablesof")}>
      <div class="tools">
        <div class="filters" role="group" aria-label=${t("show")}>
          ${Object.keys(FILTERS).map((name) => html`
            <button key=${name} type="button" class="weak" data-filter=${name}
              aria-pressed=${String(filter === name)} onClick=${() => choose(name)}>${t(`show.${name}`)}</button>`)}
        </div>
        <button id="newtable" type="button" aria-expanded=${String(making)} onClick=${() => make(!making)}>${t("newtable")}</button>
      </div>
      ${making && html`<${NewTable} store=${store} room=${room} />`}
      <ul class="tables">
        ${shown.map((table) => html`
          <${OneTable} key=${String(table.table)} table=${table} room=${room} shard=${grid.shard} store=${store} />`)}
      </ul>
      ${shown.length === 0 && html`<p class="none">${t("notables")}</p>`}
    </section>`;
}

function NewTable({ store, room }) {
  const { t } = store;
  const [locked, lock] = useState(true);
  const [key, setKey] = useState(() => toBase64url(random(KEY_BYTES)));
  const create = (event) => {
    event.preventDefault();
    store.create(room.id, locked ? key.trim() : "");
  };
  return html`
    <form class="newtable" onSubmit=${create}>
      <label class="row">${t("locked")}
        <input type="checkbox" name="locked" checked=${locked} onChange=${(event) => lock(event.target.checked)} /></label>
      ${locked && html`<label class="row">${t("key")}
        <input name="key" required minlength="6" maxlength="64" value=${key} autocomplete="off"
          onInput=${(event) => setKey(event.target.value)} /></label>`}
      <button type="submit" class="gold">${t("create")}</button>
    </form>`;
}

// A locked table asks for its key when somebody wants in.
function OneTable({ table, room, shard, store }) {
  const { t } = store;
  const [wish, want] = useState(null); // what to do with the key: a seat, or "watch"
  const ref = { room: room.id, shard, table: table.table };
  const playing = table.phase === "playing";
  const enter = (what, key) =>
    (what === "watch" ? store.watch(ref, key) : store.sitAt(ref, what, key));
  const go = (what) => (table.locked ? want(what) : enter(what, ""));
  const say = (event) => {
    event.preventDefault();
    enter(wish, event.target.elements.key.value.trim());
  };
  const seat = (n) => {
    const taken = table.seats.find((one) => one.seat === n);
    return html`<li key=${n}>${taken
      ? html`<span class=${taken.away ? "taken gone" : "taken"}>${taken.name || t("taken")}</span>`
      : html`<button type="button" data-seat=${n} disabled=${playing} aria-label=${t("sithere", { seat: n + 1 })}
          onClick=${() => go(n)}>${n + 1}</button>`}</li>`;
  };
  return html`
    <li class="one-table" data-table=${String(table.table)}>
      <div class="head"><b>${table.locked ? html`<span aria-hidden="true">🔒</span> ` : ""}${t("tablenumber", { number: table.table % 10_000n })}</b>
        <small>${playing ? t("hand", { hand: table.hand }) : t("show.free")}</small></div>
      <ol class="seats-of">${Array.from({ length: room.seats }, (_, n) => seat(n))}</ol>
      <button type="button" class="weak" data-do="watch" onClick=${() => go("watch")}>${t("watch")}</button>
      ${wish !== null && html`
        <form class="key" onSubmit=${say}>
          <input name="key" required maxlength="64" aria-label=${t("key")} placeholder=${t("key")} autocomplete="off" />
          <button type="submit">${t("enter")}</button>
        </form>`}
    </li>`;
}
