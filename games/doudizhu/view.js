// Dou Dizhu and its kin: shed cards by beating them.

import { boardView } from "@hall/kit";

export default boardView({
  labels: {
    en: {
      play: "Play",
      pass: "Pass",
      "bid:pass": "No call",
      "call:pass": "No call",
      "mcall:pass": "No call",
      "rob:pass": "Do not rob",
      "double:pass": "Do not double",
      "show:pass": "Keep hidden",
      call: "Call {}",
      rob: "Rob",
      double: "Double",
      look: "Look",
      blind_grab: "Grab blindly",
      show_hand: "Show hand {}",
      use_golden_eye: "Golden eye {}",
    },
    zh: {
      play: "出牌",
      pass: "不要",
      "bid:pass": "不叫",
      "call:pass": "不叫",
      "mcall:pass": "不叫",
      "rob:pass": "不抢",
      "double:pass": "不加倍",
      "show:pass": "不明牌",
      call: "叫地主 {}",
      "bid:call": "叫 {} 分",
      rob: "抢地主",
      double: "加倍",
      look: "看牌",
      blind_grab: "闷抓",
      show_hand: "明牌 {}",
      use_golden_eye: "火眼金睛 {}",
    },
  },
});
