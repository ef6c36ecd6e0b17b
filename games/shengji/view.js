// Shengji and its kin: trumps declared during the deal, a bottom buried, tricks.

import { boardView, isJoker } from "@hall/kit";

const CLAIMS = ["declare", "counter", "reinforce", "self_counter"];

// The one verb that fits the claim which stands; the rules refuse every other.
function fitting(view, cards) {
  const { claim } = view;
  if (!claim) return "declare";
  if (claim.seat !== view["@you"]) return "counter";
  const kinds = (names) => [...new Set(names)].sort().join(" ");
  return cards.length && kinds(cards) !== kinds(claim.cards) ? "self_counter" : "reinforce";
}

function offer(view, lines, cards) {
  const verb = fitting(view, cards);
  return lines.filter((line) => !CLAIMS.includes(line) || line === verb);
}

export default boardView({
  offer,
  // Three equal jokers of Dagunzi name any suit; all other claims name their own.
  suited: (view, cards) =>
    view["@table"].game === "dagunzi" && cards.length === 3 && cards.every(isJoker),
  labels: {
    en: { play: "Play", pass: "Pass", throw: "Throw", bury: "Bury", declare: "Declare trumps" },
    zh: { play: "出牌", pass: "不亮", throw: "甩牌", bury: "扣底", declare: "亮主" },
  },
});
