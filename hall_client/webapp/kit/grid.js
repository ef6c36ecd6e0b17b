// Games on squares: seats and facts as on any board, and in the middle squares to press.
// `gridView(options)` makes what a package's view.js exports.

import { html, render, signal } from "@hall/ui";
import { facts } from "./facts.js";
import { modelOf } from "./model.js";
import { placeOf, Seat } from "./seats.js";

// options: size; squares(view): [{ name, mark: "b" | "w" | "", may, last }] from a1 on, rank by
// rank; spoken(square, ctx): what a screen reader says; hide: keys that are no facts for people.
export function gridView(options) {
  return {
    api: 1,
    mount(element, ctx) {
      const state = signal({ view: null });
      render(html`<${Game} state=${state} ctx=${ctx} options=${options} />`, element);
      return {
        update(view) {
          state.value = { view };
        },
        destroy() {
          render(null, element);
        },
      };
    },
  };
}

function Game({ state, ctx, options }) {
  const { view } = state.value;
  if (!view) return null;
  const model = modelOf(view, { words: ctx.words, t: ctx.t, ...ctx.live.value, hide: options.hide });
  const seat = (one) => html`
    <${Seat} key=${one.number} seat=${one} t=${ctx.t} locale=${ctx.locale}
      place=${placeOf(one.number, model.own, model.seats.length)} />`;
  const told = model.playing || view["@result"]
    ? facts(view, model.speaker, new Set(options.hide)) : [];
  return html`
    <div class="board grid-game" data-seats=${model.seats.length}>
      <ol class="seats" id="seats">${model.seats.filter((one) => !one.own).map(seat)}</ol>
      ${"board" in view && html`<${Grid} view=${view} model=${model} ctx=${ctx} options=${options} />`}
      <dl class="facts">${told.map(({ key, label, text }) => html`
        <div key=${key}><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
      <ol class="own">${model.seats.filter((one) => one.own).map(seat)}</ol>
    </div>`;
}

// Rank 1 is at the bottom, as on a board that lies before the player.
function Grid({ view, model, ctx, options }) {
  const squares = options.squares(view);
  const ranks = Array.from({ length: options.size }, (_, n) => options.size - 1 - n);
  return html`
    <div class="grid" role="group" id="grid" aria-label=${ctx.t("theboard")}
      data-size=${options.size}>
      ${ranks.flatMap((rank) => squares.slice(rank * options.size, (rank + 1) * options.size))
        .map((square) => html`
          <button key=${square.name} type="button" data-square=${square.name}
            class=${`square ${square.last ? "last" : ""}`} disabled=${!(square.may && model.mine)}
            aria-label=${options.spoken(square, ctx)} onClick=${() => ctx.send(square.name)}>
            <span class=${`disc ${square.mark || (square.may && model.mine ? "may" : "")}`}></span>
          </button>`)}
    </div>`;
}
