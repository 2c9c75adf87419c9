import { contentBlocks, type Entry } from "../files/entry.js";

/** What a list shows of a user line: a prompt, a command in place of a prompt, or an image. */
export type UserInput =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "command"; readonly text: string }
  | { readonly kind: "image" };

/**
 * The input of a person in this entry; undefined for tool results and for text that the CLI wrote.
 */
export function userInputOf(entry: Entry): UserInput | undefined {
  if (entry["type"] !== "user" || entry["isMeta"] === true) return undefined;
  if (entry["isCompactSummary"] === true) return undefined;
  const blocks = contentBlocks(entry);
  if (blocks.some((block) => block["type"] === "tool_result")) return undefined;
  let command: UserInput | undefined;
  for (const { type, text } of blocks as readonly { type?: unknown; text?: unknown }[]) {
    if (type !== "text" || typeof text !== "string") continue;
    const input = inputOfText(text.replaceAll("\n", " ").trim());
    if (input?.kind === "prompt") return input;
    command ??= input;
  }
  if (command !== undefined) return command;
  return blocks.some((block) => block["type"] === "image") ? { kind: "image" } : undefined;
}

function inputOfText(text: string): UserInput | undefined {
  if (text === "") return undefined;
  const command = textInside(text, "command-name");
  if (command !== undefined) return { kind: "command", text: copyOf(command) };
  const shell = textInside(text, "bash-input");
  if (shell !== undefined) return { kind: "prompt", text: `! ${copyOf(shell)}` };
  if (WRITTEN_BY_CLI.test(text)) return undefined;
  const short = text.length <= LONGEST ? text : `${text.slice(0, LONGEST).trim()}…`;
  return { kind: "prompt", text: copyOf(short) };
}

const LONGEST = 200;

/** The CLI writes markup of any kind and notes of interruptions into user lines. */
const WRITTEN_BY_CLI = /^(?:<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

/**
 * The text inside the first element of that name. Not by a regular expression, because that would
 * search the rest of the text again at each start tag.
 */
function textInside(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : text.slice(start + name.length + 2, end);
}

/** A slice keeps its whole source text in memory, and a list keeps thousands of slices. */
function copyOf(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
