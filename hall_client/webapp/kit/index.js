// What a game's view may import as "@hall/kit".

export { boardView } from "./board.js";
export { byRank, bySuit, Card, Cards, isCard, isJoker, plain, rankOf, suitOf } from "./cards.js";
export { gridView } from "./grid.js";
export { verbOf } from "./verbs.js";
