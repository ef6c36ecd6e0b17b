// What this device remembers: language, looks, the guest's secret. Never anything of a game.

import { effect, signal } from "@hall/ui";
import { fromBase64url, random, toBase64url } from "../net/bytes.js";

const SECRET_KEY = "paiju.device-secret";
const SETTINGS_KEY = "paiju.settings";
const DEFAULTS = {
  locale: navigator.language.startsWith("zh") ? "zh" : "en",
  fourColours: false,
  bigIndexes: false,
  leftHanded: false,
  calm: false, // no animations, whatever the system says
};

function kept() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(SETTINGS_KEY) ?? "{}") };
  } catch {
    return DEFAULTS; // somebody edited it: begin anew
  }
}

const begin = kept();
export const settings = Object.fromEntries(
  Object.keys(DEFAULTS).map((key) => [key, signal(begin[key])]),
);

effect(() => {
  const now = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, settings[key].value]));
  localStorage.setItem(SETTINGS_KEY, JSON.stringify(now));
  const { classList } = document.documentElement;
  classList.toggle("four-colours", now.fourColours);
  classList.toggle("big-indexes", now.bigIndexes);
  classList.toggle("left-handed", now.leftHanded);
  classList.toggle("calm", now.calm);
});

// The guest's secret opens the account again after the page was closed.
export function deviceSecret() {
  const found = localStorage.getItem(SECRET_KEY);
  if (found) return fromBase64url(found);
  const made = random(32);
  localStorage.setItem(SECRET_KEY, toBase64url(made));
  return made;
}
