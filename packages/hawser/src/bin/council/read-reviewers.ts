import { isObject } from "../../base/index.js";
import type { Reviewer } from "../../council/index.js";
import { readNamed } from "../command/call-flags.js";
import { usageError } from "../command/flags.js";

/** The reviewers in a JSON file: a list of objects with `name` and `systemPrompt`. */
export function readReviewers(path: string): readonly Reviewer[] {
  const text = readNamed("--reviewers", path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`--reviewers: ${path} is no JSON: ${(error as Error).message}`, EXAMPLE);
  }
  if (!Array.isArray(value)) throw usageError(`--reviewers: ${path} must be a list.`, EXAMPLE);
  for (const [index, each] of value.entries()) checkReviewer(each, `${path}[${index}]`);
  return value as Reviewer[];
}

function checkReviewer(value: unknown, where: string): void {
  if (!isObject(value)) throw usageError(`--reviewers: ${where} must be an object.`, EXAMPLE);
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown === undefined) return;
  throw usageError(
    `--reviewers: ${where} has the unknown key ${JSON.stringify(unknown)}.`,
    EXAMPLE,
  );
}

const KEYS = ["name", "systemPrompt", "model", "tools", "weight"];
const EXAMPLE = 'Write for example: [{ "name": "tests", "systemPrompt": "You look at tests." }]';
