// The hall: games by family, their rooms, two clicks to a seat.

import { html, useEffect, useRef, useState } from "@hall/ui";
import { Lazy } from "./hall.js";
import { settings } from "./settings.js";

const FIRST = "doudizhu";
const SIGNS = { doudizhu: "♠", niuniu: "♥", shengji: "♦", gouji: "♣", chihuoguo: "♨", wuhuaguo: "❀",
  paodekuai: "♠", reversi: "●" };

export function Lobby({ store }) {
  const { t } = store;
  const locale = settings.locale.value;
  const rooms = store.rooms.value;
  const [chosen, choose] = useState(null); // a game's name
  if (store.connection.value.phase !== "open" && rooms.length === 0) {
    return html`<main class="lobby loading"></main>`;
  }
  const ofGame = (name) => rooms.filter((room) => room.game === name);
  const games = store.allGames;
  const game = games.find((one) => one.name === chosen);
  return html`
    <main class="lobby" id="lobby">
      <section class="hero">
        <div><h2>${t("herotitle")}</h2><p>${t("herotext")}</p></div>
        <div class="buttons">
        <button id="myhands" type="button" class="weak" onClick=${() => store.show("Hands")}>${t("myhands")}</button>
        <button id="play" type="button" class="gold" disabled=${rooms.length === 0}
          onClick=${() => store.playWithRobots(defaultRoom(ofGame(FIRST))?.id)}>${t("playnow")}</button>
        </div>
      </section>
      ${families(games).map(([family, members]) => html`
        <section key=${family} class="family" aria-label=${members[0].title[locale]}>
          <ul>
            ${members.map((one) => html`
              <li key=${one.name}>
                <${Game} game=${one} rooms=${ofGame(one.name)} locale=${locale} t=${t}
                  open=${chosen === one.name} mark=${store.news.marks.value[one.package]}
                  onOpen=${() => {
                    choose(chosen === one.name ? null : one.name);
                    store.news.opened(one.package);
                  }} />
              </li>`)}
          </ul>
          ${game?.package === family && html`
            <${Rooms} game=${game} rooms=${ofGame(chosen)} store=${store} locale=${locale} />`}
        </section>`)}
    </main>`;
}

function families(games) {
  const found = new Map();
  for (const game of games) found.set(game.package, [...(found.get(game.package) ?? []), game]);
  // The family that everybody knows stands first, then the larger ones.
  const order = ([name, members]) => (name === FIRST ? -100 : -members.length);
  return [...found].sort((a, b) => order(a) - order(b));
}

const defaultRoom = (rooms) => rooms.find((room) => room.id.endsWith(".novice")) ?? rooms[0];

function Game({ game, rooms, locale, t, open, mark, onOpen }) {
  const players = rooms.reduce((sum, room) => sum + room.players, 0);
  const [least, most] = game.seats;
  return html`
    <button type="button" class="game" data-game=${game.name} aria-expanded=${String(open)} onClick=${onOpen}
      disabled=${rooms.length === 0}>
      <span class="sign" aria-hidden="true">${SIGNS[game.package] ?? "★"}</span>
      <b>${game.title[locale] ?? game.name}${mark && html`<span class="mark-of">${t(`mark.${mark}`)}</span>`}</b>
      <small>${t("seats", { seats: least === most ? most : `${least}–${most}` })}
        ${players > 0 && html` · <span class="online">${t("online", { count: players })}</span>`}</small>
    </button>`;
}

function Rooms({ game, rooms, store, locale }) {
  const { t } = store;
  const list = useRef(null);
  const [looked, look] = useState(null); // the room whose tables are shown
  useEffect(() => list.current.scrollIntoView({ block: "nearest" }), [game.name]);
  return html`
    <ul class="rooms" ref=${list} aria-label=${t("roomsof", { game: game.title[locale] })}>
      ${rooms.map((room) => html`
        <li key=${room.id} class="room" data-room=${room.id}>
          <div><b>${room.title[locale] ?? room.id}</b>
            <small>${room.buyInDefault > 0n ? t("buyin", { amount: room.buyInDefault }) : t("forscore")}
              · ${t("tables", { tables: room.tables })}</small></div>
          <div class="buttons">
            <button type="button" data-do="tables" class="weak" aria-expanded=${String(looked === room.id)}
              onClick=${() => look(looked === room.id ? null : room.id)}>${t("tablesof")}</button>
            <button type="button" data-do="sit" onClick=${() => store.sit(room.id)}>${t("sit")}</button>
            <button type="button" data-do="robots" class="gold"
              onClick=${() => store.playWithRobots(room.id)}>${t("withrobots")}</button>
          </div>
          ${looked === room.id && html`
            <${Lazy} from=${() => import("./tables.js")} name="Tables" store=${store} room=${room} />`}
        </li>`)}
    </ul>`;
}
