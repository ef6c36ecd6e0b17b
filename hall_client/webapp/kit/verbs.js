// From an offered line and the chosen cards to the line that is sent.

const CLAIMS = ["declare", "counter", "reinforce", "self_counter"];
const WITH_CARDS = new Set([
  "play", "throw", "bury", "burn", "tribute", "return_tribute", "buy_three", "show_lead",
  "counter_bottom", "swap_joker", "arrange", ...CLAIMS,
]);
const WEAK = new Set(["pass", "fold", "no_head"]); // what declines is drawn quietly

export const verbOf = (line) => line.split(" ", 1)[0];
export const needsCards = (line) => WITH_CARDS.has(line); // a line that names cards already does not
export const isClaim = (line) => CLAIMS.includes(line);
export const isWeak = (line) => WEAK.has(verbOf(line));
export const lineOf = (verb, cards, suit) => [verb, ...cards, ...(suit ? [suit] : [])].join(" ");
