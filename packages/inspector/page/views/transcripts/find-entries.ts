import { shownJson } from "../../base/json.js";
import type { Entry } from "./transcript-shape.js";

const texts = new WeakMap<Entry, string>();

/** The places of the entries that contain a text, without regard to capitals. */
export function findEntries(entries: readonly Entry[], query: string): readonly number[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const found: number[] = [];
  for (const [index, entry] of entries.entries()) {
    if (searchText(entry).includes(wanted)) found.push(index);
  }
  return found;
}

function searchText(entry: Entry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = entryText(entry).toLowerCase();
  texts.set(entry, text);
  return text;
}

/** All text of an entry. */
export function entryText(entry: Entry): string {
  if (entry.kind === "turn_end") return "";
  if (entry.kind !== "tool") return entry.text;
  return `${entry.tool}\n${shownJson(entry.input)}\n${entry.result?.text ?? ""}`;
}
