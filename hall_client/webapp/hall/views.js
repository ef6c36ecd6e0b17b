// What draws a game, and the words that games use.

import { Words } from "../kit/words.js";

let tables = null; // words.json, once per page

export async function loadWords(locale) {
  tables ??= fetch("words.json").then((answer) => answer.json());
  return new Words(await tables, locale);
}

// The view of the package, or the plain board for a game that brings none.
export async function viewOf(game) {
  if (game?.view) return (await import(new URL(game.view, document.baseURI))).default;
  return (await import("../kit/index.js")).boardView();
}
