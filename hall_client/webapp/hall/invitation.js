// Links to a table: everything after the #, so no server's log ever has the key.

export function invitationTo({ ref, key }) {
  const parts = [ref.room, ref.shard, ref.table, key].map((part) => encodeURIComponent(part));
  return `${location.origin}${location.pathname}#table/${parts.join("/")}`;
}

// { ref, key }, or null for what is no invitation.
export function invitationIn(hash) {
  const found = /^#table\/([^/]+)\/(\d{1,7})\/(\d{1,19})\/([^/]*)$/.exec(hash);
  if (!found) return null;
  try {
    const [room, key] = [found[1], found[4]].map(decodeURIComponent);
    return { ref: { room, shard: Number(found[2]), table: BigInt(found[3]) }, key };
  } catch {
    return null; // a broken escape
  }
}
