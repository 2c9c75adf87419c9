import { type ErrorFacts, objectOf } from "../../base/index.js";
import { parseVersion, requireKept } from "../../options/index.js";
import type { AssistantLine, UserLine } from "../../wire/index.js";

/**
 * Throws `unsupported_by_cli` for a prompt that begins a new conversation, if this CLI would confirm it and keep the
 * conversation. Before the start of the CLI its version is unknown, and nothing is there to be kept.
 */
export function requireKeptClear(
  { type, message }: UserLine | AssistantLine,
  connection: { readonly facts: ErrorFacts },
): void {
  if (type !== "user" || !CLEARS.test(commandIn(message.content))) return;
  const { cliPath = "", cliVersion = "" } = connection.facts;
  requireKept("clear", { path: cliPath, version: parseVersion(cliVersion) });
}

/** The command that begins a new conversation, by each of its names. */
const CLEARS = /^\s*\/(?:clear|reset|new)(?:\s|$)/;

/** The CLI looks for a command in the last text of a prompt only. That of a literal prompt is empty. */
function commandIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const last: unknown = content.findLast((block) => objectOf(block)["type"] === "text");
  const { text } = objectOf(last) as { readonly text?: unknown };
  return typeof text === "string" ? text : "";
}
