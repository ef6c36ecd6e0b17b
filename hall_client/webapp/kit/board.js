// The view of a card game: seats around a middle, the own hand below, actions under it.
// `boardView(options)` makes what a package's view.js exports (docs/contracts/views.md).

import { html, render, signal, useEffect, useLayoutEffect, useRef, useState } from "@hall/ui";
import { Actions, labelOf } from "./actions.js";
import { Cards } from "./cards.js";
import { Hand } from "./hand.js";
import { modelOf } from "./model.js";
import { Laid, placeOf, Seat } from "./seats.js";
import { verbOf } from "./verbs.js";

// options: order, hide (see model.js); labels: { en, zh } of lines and verbs; offer(view, lines,
// cards): the lines to show; bare: verbs that take no cards here; suited(view, cards): whether a
// claim must name a suit.
export function boardView(options = {}) {
  return {
    api: 1,
    mount(element, ctx) {
      const state = signal({ view: null });
      const memory = { hand: "", chosen: [] }; // what a newer version of the view goes on with
      render(html`<${Board} state=${state} ctx=${ctx} options=${options} memory=${memory} />`, element);
      return {
        update(view) {
          state.value = { view };
        },
        state: () => ({ ...memory }),
        restore(before) {
          Object.assign(memory, before);
        },
        destroy() {
          render(null, element);
        },
      };
    },
  };
}

function Board({ state, ctx, options, memory }) {
  const { view } = state.value;
  if (!view) return null;
  const { t, locale, words } = ctx;
  const live = ctx.live.value; // away, clocks
  const model = modelOf(view, { words, t, ...live, order: options.order, hide: options.hide });
  return html`
    <div class="board" data-seats=${model.seats.length}>
      <${Ring} model=${model} ctx=${ctx} />
      ${model.own !== null && html`<${Mine} model=${model} view=${view} ctx=${ctx} options=${options} memory=${memory} />`}
    </div>`;
}

function Ring({ model, ctx }) {
  const { t, locale } = ctx;
  const count = model.seats.length;
  const places = model.seats.map((seat) => [seat, placeOf(seat.number, model.own, count)]);
  // From left to right, so that a phone's one row is in the order of the table.
  const others = places.filter(([seat]) => !seat.own).reverse();
  return html`
    <div class="ring">
      <ol class="seats" id="seats">
        ${others.map(([seat, place]) => html`
          <${Seat} key=${seat.number} seat=${seat} place=${place} t=${t} locale=${locale} />`)}
      </ol>
      <div class="middle" id="middle">
        ${model.middle.map(({ key, label, cards }) => html`
          <div class="pile" key=${key}><small>${label}</small>
            <${Cards} names=${cards} locale=${locale} label=${label} /></div>`)}
        <${Facts} facts=${model.facts} locale=${locale} />
      </div>
    </div>`;
}

const Facts = ({ facts, locale }) => html`
  <dl class="facts">
    ${facts.map(({ key, label, text, cards }) => html`
      <div key=${key}><dt>${label}</dt><dd>${cards
        ? html`<${Cards} names=${cards} locale=${locale} label=${label} />` : text}</dd></div>`)}
  </dl>`;

function Mine({ model, view, ctx, options, memory }) {
  const { t, locale, words } = ctx;
  const [pending, wait] = useState("");
  const pointed = useRef("");
  const hand = model.hand;
  const key = hand.join(" ");
  const [chosen, choose] = useState(() => new Set(memory.hand === key ? memory.chosen : []));
  const before = useRef(key);
  useEffect(() => {
    if (before.current !== key) choose(new Set()); // positions mean other cards now
    before.current = key;
  }, [key]);
  Object.assign(memory, { hand: key, chosen: [...chosen] });
  const cards = hand.filter((_, at) => chosen.has(at));
  const lines = options.offer ? options.offer(view, model.offered, cards) : model.offered;
  const own = model.seats[model.own];

  const send = async (line) => {
    wait(line.split(" ", 1)[0]);
    await ctx.send(line);
    wait("");
  };
  // Cards of the hint are chosen; what needs no cards is only marked, never sent.
  const hint = async () => {
    const line = await ctx.hint(view);
    if (!line) return;
    pointed.current = buttonFor(line, lines);
    choose(positions(hand, line));
  };
  // Once the chosen cards have enabled it, the button that plays the hint has the focus.
  useLayoutEffect(() => {
    if (pointed.current) document.querySelector(`#verbs [data-verb="${pointed.current}"]`)?.focus();
    pointed.current = "";
  });
  return html`
    <div class="mine">
      <${Laid} seat=${own} t=${t} locale=${locale} />
      <${Actions} lines=${lines} cards=${cards} bare=${options.bare ?? []} pending=${pending}
        suited=${(found) => Boolean(options.suited?.(view, found))}
        wordOf=${(line) => labelOf(line, words, { phase: model.phase, labels: options.labels?.[locale] })}
        onLine=${send} onHint=${ctx.hint && model.mine ? hint : null} t=${t} />
      <${Hand} hand=${hand} chosen=${chosen} locale=${locale} onChosen=${choose} label=${t("yourcards")} />
      <ol class="own"><${Seat} seat=${own} place="me" t=${t} locale=${locale} /></ol>
    </div>`;
}

const buttonFor = (line, lines) => (lines.includes(line) ? line : verbOf(line));

// Where the cards of a line lie in the hand; equal cards one after the other.
function positions(hand, line) {
  const out = new Set();
  for (const card of line.split(" ").slice(1)) {
    const at = hand.findIndex((name, n) => name === card && !out.has(n));
    if (at >= 0) out.add(at);
  }
  return out;
}
