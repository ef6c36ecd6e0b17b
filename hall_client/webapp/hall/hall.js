// The frame of the page: who one is, how the connection stands, and the screen in front.

import { html, useEffect, useState } from "@hall/ui";
import { Lobby } from "./lobby.js";

export function Hall({ store }) {
  const table = store.table.value;
  const screen = store.screen.value;
  return html`
    <header class="top">
      <h1><span class="mark" aria-hidden="true">牌</span><span>Paiju </span><b>牌局</b></h1>
      <${Status} store=${store} />
      <${Purse} store=${store} />
      <${Menu} store=${store} />
    </header>
    ${table ? html`<${Lazy} from=${() => import("./table.js")} name="Table" store=${store} key="table" />`
      : screen ? html`<${Lazy} from=${() => import("./replay.js")} name=${screen.name} store=${store} hand=${screen.hand} key=${screen.name} />`
      : html`<${Lobby} store=${store} key="lobby" />`}
    ${store.penalties.value.map((penalty) => html`
      <${Penalty} key=${String(penalty.id)} penalty=${penalty} store=${store} />`)}
    <p id="said" role="alert" class=${store.said.value ? "shown" : ""}>${store.said.value}</p>`;
}

// What was decided about the account: stays until the person has pressed the button.
function Penalty({ penalty, store }) {
  return html`<section class="penalty" role="alert">
    <p>${penalty.text}</p>
    <button type="button" onClick=${() => store.seen(penalty)}>${store.t("understood")}</button>
  </section>`;
}

function Status({ store }) {
  const { t } = store;
  const { phase, name, ending, back } = store.connection.value;
  const sentence = phase === "ended" ? t("ended", { code: ending })
    : phase === "open" ? t("connected", { name }) : t(back ? "lost" : "connecting");
  return html`<p id="status" role="status" class=${phase}>${sentence}</p>`;
}

function Purse({ store }) {
  const wallet = store.wallet.value;
  if (!wallet) return null;
  return html`<p id="purse"><span class="coin">${String(wallet.coin)}</span>
    ${wallet.escrow > 0n && html`<small>${store.t("staked", { stake: wallet.escrow })}</small>`}</p>`;
}

function Menu({ store }) {
  const [open, show] = useState(false);
  const { t } = store;
  return html`
    <button id="menu" type="button" class="icon" aria-expanded=${String(open)} aria-label=${t("settings")}
      onClick=${() => show(!open)}>⚙</button>
    ${open && html`<${Lazy} from=${() => import("./panels.js")} name="Settings" store=${store}
      onClose=${() => show(false)} />`}`;
}

// A part that is fetched when it is first needed.
export function Lazy({ from, name, ...props }) {
  const [part, set] = useState(null);
  useEffect(() => {
    let gone = false;
    from().then((module) => !gone && set(() => module[name]));
    return () => {
      gone = true;
    };
  }, [name]);
  return part ? html`<${part} ...${props} />` : null;
}
