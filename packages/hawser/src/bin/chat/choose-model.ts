import { closestName } from "../../base/index.js";
import { oneLine } from "../terminal/printable.js";
import type { AskPerson } from "./choose-from-list.js";

/**
 * The model that the person means by a name. A name that is close to a listed one may be a typing mistake, which would
 * fail only at the next prompt, so the person is asked. Any other name may be a model that the CLI does
 * not list. Undefined if the person cancels.
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
  // Another number is another version of the model, and no mistake.
  if (withoutNumbers(near) === withoutNumbers(name)) return name;
  const shown = oneLine(name, 80);
  const question = `  There is no model ${shown} in the list. Did you mean ${oneLine(near, 80)}?\n`;
  const choices = `  [y]es · [n]o, use ${shown} · Enter cancels`;
  const answer = ((await ask(`${question}${choices}\n  > `)) ?? "").trim();
  if (/^y(es)?$/i.test(answer)) return near;
  return /^no?$/i.test(answer) ? name : undefined;
}

function withoutNumbers(name: string): string {
  return name.replace(/\d+/g, "");
}
