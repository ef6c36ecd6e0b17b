// A seat: who sits there, what is known of the cards, what was laid last.

import { html } from "@hall/ui";
import { Cards } from "./cards.js";
import { Clock } from "./clock.js";

// Places around the board, by how many seats away from ours (turns go to the right).
const PLACES = {
  2: ["me", "top"],
  3: ["me", "right", "left"],
  4: ["me", "right", "top", "left"],
  5: ["me", "right", "top-right", "top-left", "left"],
  6: ["me", "right", "top-right", "top", "top-left", "left"],
};
const HUES = 8;

// Who has no seat looks from behind seat 0, which then stands opposite the others.
export function placeOf(seat, own, count) {
  const place = PLACES[count]?.[(seat - (own ?? 0) + count) % count] ?? "top";
  return own === null && place === "me" ? "bottom" : place;
}

const hueOf = (name) => [...name].reduce((sum, char) => sum + char.codePointAt(0), 0) % HUES;

const Avatar = ({ seat }) => html`
  <span class=${`avatar hue-${hueOf(seat.name)}`} aria-hidden="true">${[...seat.name][0]}</span>`;

const Badge = ({ text, kind = "" }) => html`<span class=${`badge ${kind}`}>${text}</span>`;

export function Seat({ seat, place, t, locale }) {
  if (seat.empty) return html`<li class="seat empty" data-place=${place}>${t("free")}</li>`;
  return html`
    <li class=${`seat ${seat.acts ? "acts" : ""} ${seat.away ? "gone" : ""}`} data-place=${place}
      data-seat=${seat.number}>
      <div class="who">
        ${seat.clock ? html`<${Clock} clock=${seat.clock} />` : html`<${Avatar} seat=${seat} />`}
        <div class="names">
          <b>${seat.name}</b>
          <small>${seat.stake !== null && seat.stake !== 0 ? html`<span class="coin">${seat.stake}</span>` : ""}
            ${seat.count !== null && html`<span class="count">${t("cards", { count: seat.count })}</span>`}</small>
        </div>
      </div>
      <div class="marks">
        ${seat.roles.map((role) => html`<${Badge} key=${role} text=${role} kind="role" />`)}
        ${seat.ready && html`<${Badge} text=${t("isready")} kind="ready" />`}
        ${seat.away && html`<${Badge} text=${t("away")} kind="away" />`}
        ${seat.leaving && html`<${Badge} text=${t("leaving")} kind="away" />`}
        ${seat.notes.map((note) => html`<${Badge} key=${note} text=${note} />`)}
      </div>
      ${seat.seen.length > 0 && html`<div class="seen"><${Cards} names=${seat.seen} locale=${locale}
        label=${t("holds", { name: seat.name })} /></div>`}
      ${!seat.own && html`<${Laid} seat=${seat} t=${t} locale=${locale} />`}
    </li>`;
}

export function Laid({ seat, t, locale }) {
  if (!seat.laid) return html`<div class="move"></div>`;
  const { cards, text } = seat.laid;
  return html`<div class="move">
    ${cards ? html`<${Cards} names=${cards} locale=${locale} label=${t("laid", { name: seat.name })} />`
      : html`<span class="said">${text}</span>`}
  </div>`;
}
