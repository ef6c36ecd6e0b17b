// The bull games: arrange three of five, bid for the bank, bet.

import { boardView } from "@hall/kit";

// Arrangements are listed whole; the chosen cards narrow them down.
function offer(view, lines, cards) {
  if (cards.length === 0) return lines;
  const fits = (line) => !line.startsWith("arrange ") || cards.every((card) => line.includes(card));
  return lines.some((line) => line.startsWith("arrange ") && fits(line)) ? lines.filter(fits) : lines;
}

export default boardView({
  order: () => null,
  bare: ["declare"],
  offer,
  labels: {
    en: { arrange: "Bull: {}", "arrange none": "No bull", hint: "Arrange for me", declare: "Show", bid_banker: "Be the bank", bet: "Bet {}" },
    zh: { arrange: "牛 {}", "arrange none": "没牛", hint: "自动摆牌", declare: "开牌", bid_banker: "抢庄", bet: "下注 {}" },
  },
});
