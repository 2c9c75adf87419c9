import { HawserError } from "../../base/index.js";
import type { Outbound } from "../outbound.js";

/**
 * One line for the CLI's stdin, with its newline. Throws `invalid_options` for what JSON cannot
 * hold.
 */
export function encodeLine(message: Outbound): string {
  return `${toJson(message).replace(LINE_SEPARATORS, escapeCharacter)}\n`;
}

/** Legal inside JSON strings, but the end of a line for some readers. */
const LINE_SEPARATORS = /[\u2028\u2029]/g;

function toJson(message: Outbound): string {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(message);
  } catch (error) {
    cause = error;
  }
  if (json !== undefined) return json;
  const reason = cause instanceof Error ? cause.message : "it is not an object";
  throw new HawserError("invalid_options", `The message cannot be written as JSON: ${reason}`, {
    hint: "Pass only what JSON can hold: no cycles, no BigInt.",
    cause,
  });
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}
