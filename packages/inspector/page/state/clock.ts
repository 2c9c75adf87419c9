import { type ReadonlySignal, signal } from "@preact/signals";

const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** The time, each second. A part that reads it is drawn again each second. */
export const clock: ReadonlySignal<number> = now;
