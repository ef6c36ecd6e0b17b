// The one clock of a table: whole seconds of the turn, then of the reserve.

import { html, useEffect, useState } from "@hall/ui";

const TICK_MS = 250;

export function secondsLeft(clock, now) {
  const turn = clock.endsAt - now;
  return Math.max(0, Math.ceil((turn > 0 ? turn : turn + clock.reserveMs) / 1000));
}

export function Clock({ clock }) {
  const [now, tick] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => tick(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const late = clock.endsAt < now;
  return html`<span class=${late ? "clock late" : "clock"} role="timer">${secondsLeft(clock, now)}</span>`;
}
