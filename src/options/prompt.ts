import { HawserError } from "../errors/index.js";
import type { Prompt } from "../wire/index.js";
import { isObject } from "./check/kind.js";

/** Throws `invalid_options` for a prompt that says nothing: the CLI would fail, or ask the model. */
export function validatePrompt(prompt: Prompt): void {
  const problem = problemOf(prompt);
  if (problem === undefined) return;
  throw new HawserError("invalid_options", `The prompt ${problem}.`, {
    hint: "Pass a text, or an array of content blocks, that holds something to answer.",
    issues: [{ path: "prompt", message: problem }],
  });
}

function problemOf(prompt: unknown): string | undefined {
  if (typeof prompt === "string") return prompt.trim() === "" ? "is empty" : undefined;
  if (!Array.isArray(prompt)) return "must be a text or an array of content blocks";
  if (!prompt.every(isBlock)) return "must hold content blocks only";
  return prompt.some(saysSomething) ? undefined : "is empty";
}

function isBlock(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value) || typeof value["type"] !== "string") return false;
  return value["type"] !== "text" || typeof value["text"] === "string";
}

function saysSomething(block: Readonly<Record<string, unknown>>): boolean {
  return block["type"] !== "text" || `${block["text"]}`.trim() !== "";
}
