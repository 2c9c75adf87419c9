import { HawserError, oneLine } from "../../base/index.js";
import type { Terminal } from "../terminal/terminal.js";

/** Asks the user for a line; undefined if there will be none. */
export type AskPerson = (question: string) => Promise<string | undefined>;

/**
 * The index of a name that the user chooses by its number, counted from 1. The list is shown and the
 * user asked unless the number was given. Undefined if the user cancels.
 */
export async function chooseFromList(
  names: readonly string[],
  given: string,
  terminal: Terminal,
  ask: AskPerson,
): Promise<number | undefined> {
  let said = given;
  if (said === "") {
    const rows = names.map((name, place) => `  ${place + 1}. ${oneLine(name, terminal.width - 8)}`);
    terminal.note(rows.join("\n"));
    said = (await ask("  which one? (Enter cancels) ")) ?? "";
  }
  if (said.trim() === "") return undefined;
  const place = Number(said) - 1;
  if (names[place] !== undefined) return place;
  throw new HawserError("invalid_options", `There is no ${oneLine(said, 40)} in the list.`, {
    hint:
      names.length === 1
        ? "The list has only number 1."
        : `Type a number from 1 to ${names.length}.`,
  });
}
