import { type ReadonlySignal, signal } from "@preact/signals";

export const VIEWS = [
  "inbox",
  "live",
  "transcripts",
  "state",
  "requests",
  "failures",
  "replay",
] as const;

export type ViewName = (typeof VIEWS)[number];

/** The view that the address names, and what of it: `#/live/self/ses_1` is the view `live` of `self` and `ses_1`. */
export interface Route {
  readonly view: ViewName;
  readonly parts: readonly string[];
}

const current = signal<Route>(readRoute());

addEventListener("hashchange", () => {
  current.value = readRoute();
});

export const route: ReadonlySignal<Route> = current;

/** The address of a view, for a link. */
export function addressOf(view: ViewName, ...parts: readonly string[]): string {
  return `#/${[view, ...parts.map(encodeURIComponent)].join("/")}`;
}

export function go(view: ViewName, ...parts: readonly string[]): void {
  location.hash = addressOf(view, ...parts);
}

/**
 * Opens one of a list, where list and detail stand side by side and the address names none. The address then holds the
 * choice, so that the detail does not change when the list does.
 */
export function openFirst(view: ViewName, ...parts: readonly string[]): void {
  if (matchMedia("(width >= 800px)").matches) location.replace(addressOf(view, ...parts));
}

function readRoute(): Route {
  const [name = "", ...parts] = location.hash.replace(/^#\/?/, "").split("/");
  const view = VIEWS.find((each) => each === name) ?? "inbox";
  return { view, parts: parts.map(decodePart) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A person has typed a percent sign.
  }
}
