// The page's beginning: what it needs from its server, then the hall.

import { html, render } from "@hall/ui";
import { Hall } from "./hall/hall.js";
import { settings } from "./hall/settings.js";
import { Store } from "./hall/store.js";
import { fromBase64url } from "./net/bytes.js";
import { HallClient } from "./net/client.js";
import { Codec } from "./net/codec.js";
import { texts } from "./texts.js";

const page = document.getElementById("page");

async function start() {
  const t = texts(settings.locale.value);
  document.documentElement.lang = settings.locale.value;
  if (!globalThis.isSecureContext || !crypto.subtle) throw new Error(t("insecure"));
  const [hall, codec] = await Promise.all([fetchHall(t), Codec.load("wire.binpb")]);
  const client = new HallClient({
    gateways: hall.gateways,
    serverKeys: hall.server_keys.map(fromBase64url),
    codec,
    locale: settings.locale.value,
  });
  globalThis.paiju = client; // for a look from the browser's console
  const store = new Store(client, hall, () => fetchHall(t));
  render(html`<${Hall} store=${store} />`, page);
  await store.open();
  // Last, so that nothing waits for it; without it the browser says itself that it is offline.
  navigator.serviceWorker?.register("sw.js").catch(() => {});
}

async function fetchHall(t) {
  const answer = await fetch("hall.json", { cache: "no-cache" });
  if (!answer.ok) throw new Error(t("nohall"));
  return answer.json();
}

start().catch((error) => {
  const line = document.createElement("p");
  line.id = "status";
  line.setAttribute("role", "alert");
  line.textContent = error.message;
  page.replaceChildren(line);
});
