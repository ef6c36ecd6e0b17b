// What draws a game, and the words that games use.

import { Words } from "../kit/words.js";
import { importVerified } from "../net/parts.js";

let tables = null; // words.json, once per page

export async function loadWords(locale) {
  tables ??= fetch("words.json").then((answer) => answer.json());
  return new Words(await tables, locale);
}

// The view of the package, or the plain board for a game that brings none. A view that cannot be
// had, or is not what was published, stops nobody from playing.
export async function viewOf(store, game) {
  const part = game?.view && (await store.part(game, "view.js"));
  try {
    if (part) return (await importVerified(part)).default;
  } catch (error) {
    console.warn(error.message);
  }
  return (await import("../kit/index.js")).boardView();
}
