import { type ReadonlySignal, signal } from "@preact/signals";

/** A sentence at the edge of the page about what has just happened. */
export interface Notice {
  readonly id: number;
  readonly tone: "good" | "bad" | "plain";
  readonly text: string;
}

const shown = signal<readonly Notice[]>([]);
let last = 0;

export const notices: ReadonlySignal<readonly Notice[]> = shown;

/** Shows a sentence for some seconds. One that is bad stays until a person closes it. */
export function notify(tone: Notice["tone"], text: string): void {
  last += 1;
  const id = last;
  shown.value = [...shown.value.slice(-3), { id, tone, text }];
  if (tone !== "bad") setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  shown.value = shown.value.filter((notice) => notice.id !== id);
}

const SHOWN_MS = 6000;
