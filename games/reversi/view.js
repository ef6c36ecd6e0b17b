// Reversi: eight by eight squares, discs that turn.

import { gridView } from "@hall/kit";

const SIZE = 8;
const FILES = "abcdefgh";
const SPOKEN = {
  en: { b: "black", w: "white", "": "empty" },
  zh: { b: "黑", w: "白", "": "空" },
};

const squares = (view) =>
  [...view.board].map((mark, at) => {
    const name = `${FILES[at % SIZE]}${Math.floor(at / SIZE) + 1}`;
    return {
      name,
      mark: mark === "." ? "" : mark,
      may: (view.moves ?? []).includes(name),
      last: view.last === name,
    };
  });

export default gridView({
  size: SIZE,
  squares,
  spoken: ({ name, mark }, { locale }) => `${name} ${SPOKEN[locale][mark]}`,
  hide: ["board", "moves", "last"],
});
