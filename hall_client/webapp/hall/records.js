// Records of hands: unpacking, links that carry a whole hand, what this device was promised.

import { fromBase64url, toBase64url } from "../net/bytes.js";

const PROMISES_KEY = "paiju.promises";
const MOST_PROMISES = 200;

async function unzipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

export const recordIn = async (packed) => JSON.parse(await unzipped(packed));

// The hand itself is in the link, after the #: nobody keeps it, whoever has it can see it.
export function linkTo({ packed, names }) {
  const told = encodeURIComponent(JSON.stringify(names));
  return `${location.origin}${location.pathname}#hand/${toBase64url(packed)}/${told}`;
}

export function handIn(hash) {
  const found = /^#hand\/([\w-]+)\/(.*)$/.exec(hash);
  if (!found) return null;
  try {
    const names = JSON.parse(decodeURIComponent(found[2])).map(String);
    return { packed: fromBase64url(found[1]), names };
  } catch {
    return null; // cut off on its way, or no link of ours
  }
}

function promises() {
  try {
    return new Map(JSON.parse(localStorage.getItem(PROMISES_KEY) ?? "[]"));
  } catch {
    return new Map(); // somebody edited it
  }
}

// What was shown before a hand and what we added: to be compared when it is over.
export function remember(table, hand, commitment, contribution) {
  const kept = promises();
  const hex = [...contribution].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  kept.set(`${table}.${hand}`, { commitment, contribution: hex });
  localStorage.setItem(PROMISES_KEY, JSON.stringify([...kept].slice(-MOST_PROMISES)));
}

export const promised = (table, hand) => promises().get(`${table}.${hand}`) ?? null;
