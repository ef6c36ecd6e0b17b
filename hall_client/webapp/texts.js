// The page's own sentences. Refusals and notices come translated from the hall.

const SENTENCES = {
  insecure: [
    "This page was not loaded securely, and a browser seals nothing then: use the https address.",
    "此页面不是安全加载的，浏览器因此无法加密：请使用 https 地址。",
  ],
  connecting: ["Connecting ...", "正在连接……"],
  connected: ["Connected as {name}, sealed", "已连接：{name}（加密）"],
  lost: ["Connection lost, trying to get back ...", "连接中断，正在重连……"],
  ended: ["The session has ended: {code}", "会话已结束：{code}"],
  purse: ["{coin} coins, {stake} on tables", "财力 {coin}，桌上 {stake}"],
  sit: ["Sit down: Dou Dizhu", "入座：斗地主"],
  robots: ["Fill with robots", "请机器人入座"],
  ready: ["Ready", "准备"],
  leave: ["Leave", "离开"],
  really: ["Leaving now loses this hand. Leave?", "现在离开将输掉本局。确定离开？"],
  free: ["(free seat)", "（空位）"],
  you: ["you", "你"],
  landlord: ["landlord", "地主"],
  cards: ["{count} cards", "{count} 张"],
  pass: ["Pass", "不出"],
  nocall: ["No call", "不叫"],
  call: ["Call {n}", "叫 {n} 分"],
  play: ["Play", "出牌"],
  away: ["away", "离线"],
  yourturn: ["Your turn", "轮到你了"],
  theirturn: ["{name} to act", "轮到 {name}"],
  waiting: ["Waiting for players and their ready", "等待玩家入座并准备"],
  bottom: ["Bottom: {cards}", "底牌：{cards}"],
  stakes: ["call {base}, multiplier {multiplier}", "底分 {base}，倍数 {multiplier}"],
  won: ["Hand {hand}: you win {amount}", "第 {hand} 局：你赢了 {amount}"],
  lostHand: ["Hand {hand}: you lose {amount}", "第 {hand} 局：你输了 {amount}"],
};

export function texts(locale) {
  const column = locale === "zh" ? 1 : 0;
  return (key, values = {}) =>
    SENTENCES[key][column].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
