import { closestName, oneLine } from "../../base/index.js";
import { isNo, isYes } from "../terminal/yes-no.js";
import type { AskPerson } from "./choose-from-list.js";

/**
 * The model that the user means by a name. A name that is close to a listed one may be a typing mistake,
 * which would fail only at the next prompt, so the user is asked. Any other name may be a model that the
 * CLI does not list. Undefined if the user cancels.
 */
export async function chooseModel(
  name: string,
  listed: readonly string[],
  ask: AskPerson,
): Promise<string | undefined> {
  if (listed.includes(name)) return name;
  const near = closestName(name, listed);
  if (near === undefined) return name;
  if (near.toLowerCase() === name.toLowerCase()) return near;
  // A name that differs only in its numbers is another version of the model, not a typing mistake.
  if (withoutNumbers(near) === withoutNumbers(name)) return name;
  const shown = oneLine(name, 80);
  const question = `  There is no model ${shown} in the list. Did you mean ${oneLine(near, 80)}?\n`;
  const choices = `  [y]es · [n]o, use ${shown} · Enter cancels`;
  const answer = (await ask(`${question}${choices}\n  > `)) ?? "";
  if (isYes(answer)) return near;
  return isNo(answer) ? name : undefined;
}

function withoutNumbers(name: string): string {
  return name.replace(/\d+/g, "");
}
