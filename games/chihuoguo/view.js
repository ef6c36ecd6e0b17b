// Hot Pot: stake on the third card falling between two.

import { boardView } from "@hall/kit";

export default boardView({
  labels: { en: { stake: "Stake {}", fold: "Fold" }, zh: { stake: "下注 {}", fold: "放弃" } },
});
