import { HawserError, isObject, kind, throwIfInvalid } from "../../base/index.js";
import type { Prompt } from "../../wire/index.js";
import { block } from "./kinds/content-block.js";
import { signal } from "./kinds/host.js";

/**
 * Throws `invalid_options` for an empty or malformed prompt, because the CLI would fail or ask the
 * model.
 */
export function validatePrompt(prompt: Prompt): void {
  const whole = problemOf(prompt);
  if (whole !== undefined) {
    throw new HawserError("invalid_options", `The prompt ${whole}.`, {
      hint: "Pass a string or an array of content blocks that is not empty.",
      issues: [{ path: "prompt", message: whole }],
    });
  }
  if (typeof prompt !== "string")
    throwIfInvalid([...kind.listOf(block).problems(prompt, "prompt")]);
}

/** Throws `invalid_options` for keys and values that `send()` would ignore. */
export function validateSendOptions(options: object): void {
  throwIfInvalid([...SEND.problems(options, "options")]);
}

const SEND = kind.shape(
  { uuid: kind.argument, shouldQuery: kind.boolean, commands: kind.boolean, signal },
  [],
  "refuse",
);

/**
 * Throws `invalid_options` for a text that the CLI would treat as a prompt instead of a command.
 */
export function validateCommand(command: string): void {
  if (typeof command === "string" && /^\/[^\s/]/.test(command)) return;
  throw new HawserError("invalid_options", "A CLI command begins with a slash and a name.", {
    hint: 'Write it as `session.command("/compact")`; use `session.send()` for a prompt.',
    issues: [{ path: "command", message: "must begin with a slash and a name" }],
  });
}

function problemOf(prompt: unknown): string | undefined {
  if (typeof prompt === "string") return prompt.trim() === "" ? "is empty" : undefined;
  if (!Array.isArray(prompt)) return "must be a string or an array of content blocks";
  return prompt.every(saysNothing) ? "is empty" : undefined;
}

function saysNothing(block: unknown): boolean {
  if (!isObject(block) || block["type"] !== "text") return false;
  return typeof block["text"] === "string" && block["text"].trim() === "";
}
