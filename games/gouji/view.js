// Gouji: 36 cards in two rows, burns out of turn.

import { boardView } from "@hall/kit";

export default boardView({
  labels: {
    en: { play: "Play", pass: "Pass", burn: "Burn!", yield: "Yield" },
    zh: { play: "出牌", pass: "不要", burn: "烧！", yield: "让牌" },
  },
});
