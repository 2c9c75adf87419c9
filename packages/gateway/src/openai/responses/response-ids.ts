import { randomBytes } from "node:crypto";

/** A new id of a response. It cannot be guessed. */
export function createResponseId(): string {
  return `resp_${randomBytes(24).toString("hex")}`;
}

/**
 * The id of an item of a response. It contains the id of the response, so that a reference to the item can be
 * resolved without an index of all items.
 */
export function itemId(kind: ItemKind, responseId: string, place: string): string {
  return `${kind}_${responseId.slice("resp_".length)}_${place}`;
}

export type ItemKind = "msg" | "rs" | "fc" | "ctc" | "fco" | "ctco";

/** The id of the response to which an item belongs; undefined if the id is not one of this gateway. */
export function responseIdOf(id: string): string | undefined {
  const [, hex] = /^[a-z]+_([0-9a-f]{48})_i?\d+$/.exec(id) ?? [];
  return hex === undefined ? undefined : `resp_${hex}`;
}
