// The page's own sentences. Refusals and notices come translated from the hall.

const SENTENCES = {
  // the connection
  insecure: [
    "This page was not loaded securely, and a browser seals nothing then: use the https address.",
    "此页面不是安全加载的，浏览器因此无法加密：请使用 https 地址。",
  ],
  nohall: ["No hall is running here at the moment.", "目前没有正在运行的牌局。"],
  connecting: ["Connecting ...", "正在连接……"],
  connected: ["Connected as {name}, sealed", "已连接：{name}（加密）"],
  lost: ["Connection lost, trying to get back ...", "连接中断，正在重连……"],
  ended: ["The session has ended: {code}", "会话已结束：{code}"],
  staked: ["{stake} on tables", "桌上 {stake}"],
  // the hall
  herotitle: ["A hand of Dou Dizhu?", "来一局斗地主？"],
  herotext: ["Three seats, two robots, points that are only play.", "三人一桌，机器人作陪，积分只供娱乐。"],
  playnow: ["Play now", "马上开打"],
  seats: ["{seats} seats", "{seats} 人"],
  online: ["{count} playing", "{count} 人在玩"],
  roomsof: ["Rooms: {game}", "房间：{game}"],
  buyin: ["take a seat with {amount}", "带入 {amount}"],
  forscore: ["for score", "积分"],
  tables: ["{tables} tables", "{tables} 桌"],
  sit: ["Take a seat", "入座"],
  withrobots: ["With robots", "机器人陪玩"],
  // the table
  hand: ["Hand {hand}", "第 {hand} 局"],
  robots: ["Fill with robots", "请机器人入座"],
  ready: ["Ready", "准备"],
  again: ["Next hand", "下一局"],
  isready: ["ready", "已准备"],
  leave: ["Leave", "离开"],
  stay: ["Stay", "留下"],
  abandon: ["Give up the hand", "放弃本局"],
  really: [
    "The hand is running. Who leaves now gives it up and pays what the rules ask for.",
    "本局尚未结束。现在离开视为逃跑，将按规则扣分。",
  ],
  reallyidle: ["Leave this table?", "离开这张桌子？"],
  leaving: ["leaving", "即将离开"],
  free: ["(free seat)", "（空位）"],
  you: ["you", "你"],
  cards: ["{count} cards", "{count} 张"],
  yourcards: ["Your cards", "你的手牌"],
  laid: ["{name} laid", "{name} 出的牌"],
  holds: ["{name} holds", "{name} 的手牌"],
  away: ["away", "离线"],
  called: ["Call {n}", "叫 {n} 分"],
  nocall: ["No call", "不叫"],
  yourturn: ["Your turn", "轮到你了"],
  theirturn: ["{name} to act", "轮到 {name}"],
  several: ["{count} players", "{count} 位玩家"],
  dealing: ["Dealing ...", "正在发牌……"],
  waiting: ["Waiting for players and their ready", "等待玩家入座并准备"],
  actions: ["What you may do", "可选操作"],
  suits: ["Which suit?", "选择花色"],
  back: ["Back", "返回"],
  hint: ["Hint", "提示"],
  won: ["Hand {hand}: you win {amount}", "第 {hand} 局：你赢了 {amount}"],
  lostHand: ["Hand {hand}: you lose {amount}", "第 {hand} 局：你输了 {amount}"],
  even: ["Hand {hand}: you end even", "第 {hand} 局：不输不赢"],
  voided: ["Hand {hand} is void; every stake came back", "第 {hand} 局作废，筹码已退回"],
  // panels
  close: ["Close", "关闭"],
  settings: ["Settings", "设置"],
  language: ["Language", "语言"],
  fourColours: ["Four colours of suits", "四色花色"],
  bigIndexes: ["Large indexes on cards", "大号牌角"],
  leftHanded: ["Buttons on the left", "按钮靠左"],
  calm: ["No animations", "关闭动画"],
  help: ["Rules", "规则"],
  nohelp: ["There is no page about this game.", "暂无本游戏的说明。"],
  chat: ["Chat and log", "聊天与记录"],
  say: ["Say", "发送"],
  saysomething: ["Say something", "说点什么"],
  phrases: ["Hello!|Well played.|Please hurry a little.|Thanks for the game.", "大家好！|打得好！|快一点吧。|谢谢，再见！"],
};

export function texts(locale) {
  const column = locale === "zh" ? 1 : 0;
  return (key, values = {}) =>
    SENTENCES[key][column].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
