import { asEntry, type Entry } from "../files/excerpt.js";

/** What a user line says in a list: a prompt, a command that stands in for one, or an image. */
export type Said =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "command"; readonly text: string }
  | { readonly kind: "image" };

/** What a person said by this entry; undefined for tool results and what the CLI wrote by itself. */
export function saidBy(entry: Entry): Said | undefined {
  if (entry["type"] !== "user" || entry["isMeta"] === true) return undefined;
  if (entry["isCompactSummary"] === true) return undefined;
  const blocks = contentBlocks(entry);
  if (blocks.some((block) => block["type"] === "tool_result")) return undefined;
  let command: Said | undefined;
  for (const { type, text } of blocks as readonly { type?: unknown; text?: unknown }[]) {
    if (type !== "text" || typeof text !== "string") continue;
    const said = readText(text.replaceAll("\n", " ").trim());
    if (said?.kind === "prompt") return said;
    command ??= said;
  }
  if (command !== undefined) return command;
  return blocks.some((block) => block["type"] === "image") ? { kind: "image" } : undefined;
}

/** The content of an entry's message as blocks. */
export function contentBlocks(entry: Entry): readonly Entry[] {
  const content = asEntry(entry["message"])?.["content"];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map(asEntry).filter((block) => block !== undefined);
}

const LONGEST = 200;

/** What the CLI puts into a user line on its own: markup of any kind, and notes of interruptions. */
const NOT_SAID = /^(?:<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

function readText(text: string): Said | undefined {
  if (text === "") return undefined;
  const command = inside(text, "command-name");
  if (command !== undefined) return { kind: "command", text: detached(command) };
  const shell = inside(text, "bash-input");
  if (shell !== undefined) return { kind: "prompt", text: `! ${detached(shell)}` };
  if (NOT_SAID.test(text)) return undefined;
  const short = text.length <= LONGEST ? text : `${text.slice(0, LONGEST).trim()}…`;
  return { kind: "prompt", text: detached(short) };
}

/** What stands in the first element of that name. An expression would search the rest at each start. */
function inside(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : text.slice(start + name.length + 2, end);
}

/** A copy: a slice keeps the whole text alive that it is of, and a list keeps thousands of slices. */
function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
