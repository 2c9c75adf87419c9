import type { ResidueRule } from "./spec.js";

/** Says what a reset leaves of every value of an option but the clean ones. */
export function unless<Value>(
  isClean: (value: Value) => boolean,
  leaves: string,
  unset?: "leaves_too",
): ResidueRule<Value> {
  return { isClean, leaves, ...(unset === undefined ? {} : { unset }) };
}

export const MAY_LEAVE = "may leave something behind that a reset does not clear";

export const isTrue = (value: boolean): boolean => value === true;

export const isFalse = (value: boolean): boolean => value === false;

/** For a list or a map. */
export function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
