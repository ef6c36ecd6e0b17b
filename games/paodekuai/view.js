// Paodekuai: shed cards, everybody for himself.

import { boardView } from "@hall/kit";

export default boardView({
  labels: { en: { play: "Play", pass: "Pass" }, zh: { play: "出牌", pass: "要不起" } },
});
