import { type Signal, signal } from "@preact/signals";

const KEY = "hawser-person";

/** The name of the person at this browser. It goes with each answer, so that others see who answered. */
export const person: Signal<string> = signal(localStorage.getItem(KEY) ?? "");

person.subscribe((name) => {
  if (name === "") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, name);
});
