// Panels that open beside or over nothing that is being played: settings, help, chat, leaving.

import { html, useEffect, useState } from "@hall/ui";
import { Speaker } from "../kit/facts.js";
import { seatCount } from "../kit/model.js";
import { fetchVerified } from "../net/parts.js";
import { markdown } from "./markdown.js";
import { settings } from "./settings.js";

const MAX_CHAT = 200;

function Panel({ title, onClose, t, children }) {
  return html`
    <section class="panel" role="dialog" aria-label=${title}
      onKeyDown=${(event) => event.key === "Escape" && onClose()}>
      <div class="head"><h2>${title}</h2>
        <button type="button" class="icon" aria-label=${t("close")} onClick=${onClose}>✕</button></div>
      ${children}
    </section>`;
}

export function Settings({ store, onClose }) {
  const { t } = store;
  const flags = ["fourColours", "bigIndexes", "leftHanded", "calm"];
  const change = (event) => {
    settings.locale.value = event.target.value;
    document.documentElement.lang = event.target.value;
  };
  return html`
    <${Panel} title=${t("settings")} onClose=${onClose} t=${t}>
      <label class="row">${t("language")}
        <select id="language" value=${settings.locale.value} onChange=${change}>
          <option value="zh">中文</option><option value="en">English</option>
        </select></label>
      ${flags.map((flag) => html`
        <label class="row" key=${flag}>${t(flag)}
          <input type="checkbox" name=${flag} checked=${settings[flag].value}
            onChange=${(event) => (settings[flag].value = event.target.checked)} /></label>`)}
    </${Panel}>`;
}

export function Help({ store, game, onClose }) {
  const { t } = store;
  const locale = settings.locale.value;
  const [text, set] = useState("");
  useEffect(() => {
    if (!game?.help.includes(locale)) return;
    store.part(game, `help.${locale}.md`)
      .then((part) => part && fetchVerified(part))
      .then((answer) => answer?.text())
      .then((found) => found && set(found))
      .catch((error) => console.warn(error.message));
  }, [game?.name, locale]);
  return html`
    <${Panel} title=${t("help")} onClose=${onClose} t=${t}>
      <div class="prose">${text ? markdown(text) : t("nohelp")}</div>
    </${Panel}>`;
}

export function Chat({ store, words, mirror, onClose }) {
  const { t } = store;
  const { view } = store.table.value;
  const names = Array.from({ length: seatCount(view) }, (_, n) =>
    (n === view["@you"] ? t("you") : view[`@seat${n}`]?.name ?? "-"));
  const speaker = new Speaker(words, names);
  const log = store.events.value.map((event) => speaker.event(event)).filter(Boolean);
  const say = (event) => {
    event.preventDefault();
    const { said } = event.target.elements;
    if (said.value.trim()) store.speak(mirror, said.value);
    said.value = "";
  };
  return html`
    <${Panel} title=${t("chat")} onClose=${onClose} t=${t}>
      <ol class="lines" aria-live="polite">
        ${log.map((line, at) => html`<li key=${`e${at}`} class="event">${line}</li>`)}
        ${store.chat.value.map((line, at) => html`<li key=${`c${at}`}><b>${line.name}</b> ${line.text}</li>`)}
      </ol>
      <form onSubmit=${say}>
        <input name="said" maxlength=${MAX_CHAT} aria-label=${t("saysomething")} placeholder=${t("saysomething")} autocomplete="off" />
        <button type="submit">${t("say")}</button>
      </form>
      <div class="phrases">${t("phrases").split("|").map((phrase) => html`
        <button key=${phrase} type="button" class="weak" onClick=${() => store.speak(mirror, phrase)}>${phrase}</button>`)}</div>
    </${Panel}>`;
}

export function Leave({ store, mirror, onClose }) {
  const { t } = store;
  const playing = store.table.value.view["@phase"] === "playing";
  return html`
    <${Panel} title=${t("leave")} onClose=${onClose} t=${t}>
      <p>${t(playing ? "really" : "reallyidle")}</p>
      <div class="buttons">
        <button id="stay" type="button" onClick=${onClose}>${t("stay")}</button>
        <button id="go" type="button" class=${playing ? "danger" : "gold"}
          onClick=${() => store.leave(mirror, playing)}>${t(playing ? "abandon" : "leave")}</button>
      </div>
    </${Panel}>`;
}
