// Wuhuaguo: shed cards, figs declared before.

import { boardView } from "@hall/kit";

export default boardView({
  labels: { en: { play: "Play", pass: "Pass" }, zh: { play: "出牌", pass: "不要" } },
});
