import { getPath, oneLine, printable } from "../../base/index.js";
import { callLine } from "../../options/index.js";
import {
  getSessionMessages,
  type SDKSessionInfo,
  type SessionMessage,
} from "../../transcripts/index.js";
import type { Style, Terminal } from "../terminal/terminal.js";

/** Prints the conversation: prompts, answers, and each tool call on a line of its own. */
export async function show(
  terminal: Terminal,
  session: SDKSessionInfo,
  options: { readonly configDir: string | undefined; readonly json: boolean },
): Promise<number> {
  const { configDir, json } = options;
  const messages = await getSessionMessages(session.sessionId, { configDir });
  if (json) {
    terminal.writeLine(JSON.stringify({ session, messages }));
    return 0;
  }
  const parts = speeches(messages).map((each) => textOf(each, terminal.outStyle));
  process.stdout.write([heading(session, terminal.outStyle), ...parts].join("\n\n").concat("\n"));
  return 0;
}

/** All consecutive messages of one side. */
interface Speech {
  readonly by: "user" | "assistant";
  readonly lines: readonly Line[];
  /** The last message of the speech; a fork may end there. */
  readonly uuid: string;
  readonly timestamp: string | undefined;
}

type Line = { readonly kind: "text" | "tool" | "error" | "aside"; readonly text: string };

function speeches(messages: readonly SessionMessage[]): Speech[] {
  const all: Speech[] = [];
  for (const message of messages) {
    const { type, uuid, timestamp } = message;
    const lines = linesOf(message);
    if (lines.length === 0 || type === "system") continue;
    // The results of tools are user messages in the protocol.
    const isTools = lines.every(({ kind }) => kind === "error");
    const by = isTools ? "assistant" : type;
    const last = all.at(-1);
    if (last?.by !== by) all.push({ by, lines, uuid, timestamp });
    else all[all.length - 1] = { ...last, uuid, lines: [...last.lines, ...lines] };
  }
  return all;
}

function linesOf({ message, isCompactSummary }: SessionMessage): Line[] {
  const content = getPath(message, "content");
  if (isCompactSummary)
    return [{ kind: "aside", text: "(everything before this was replaced by a summary)" }];
  if (typeof content === "string") return said(content);
  return Array.isArray(content) ? content.flatMap(lineOfBlock) : [];
}

function lineOfBlock(block: unknown): Line[] {
  const type = getPath(block, "type");
  if (type === "text") return said(String(getPath(block, "text") ?? ""));
  if (type === "tool_use") {
    const name = String(getPath(block, "name"));
    return [{ kind: "tool", text: callLine(name, getPath(block, "input"), LONGEST_LINE) }];
  }
  if (type === "tool_result") {
    if (getPath(block, "is_error") !== true) return [];
    return [{ kind: "error", text: oneLine(plain(getPath(block, "content")), LONGEST_LINE) }];
  }
  if (type === "image" || type === "document") return [{ kind: "aside", text: `(${type})` }];
  // Thinking blocks are not shown.
  return [];
}

const LONGEST_LINE = 110;

function said(text: string): Line[] {
  const command = /^<command-name>(.*?)<\/command-name>/.exec(text.trim())?.[1];
  const shown = printable(command ?? text).trim();
  return shown === "" ? [] : [{ kind: command === undefined ? "text" : "aside", text: shown }];
}

function plain(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => String(getPath(block, "text") ?? "")).join(" ");
}

function heading({ sessionId, summary, cwd, gitBranch }: SDKSessionInfo, style: Style): string {
  const where = [cwd, gitBranch].filter((each) => each !== undefined && each !== "").join(", ");
  const lines = [style.bold(oneLine(summary, LONGEST_LINE)), style.dim(sessionId)];
  return [...lines, ...(where === "" ? [] : [style.dim(printable(where))])].join("\n");
}

function textOf({ by, lines, uuid, timestamp }: Speech, style: Style): string {
  const when =
    timestamp === undefined
      ? ""
      : `  ${oneLine(String(timestamp), 30).slice(0, 16).replace("T", " ")}`;
  const who = by === "user" ? style.cyan("You") : style.green("Claude");
  const head = `${who}${style.dim(`${when}  ${printable(uuid.slice(0, 8))}`)}`;
  return [head, ...lines.map((line) => MARKED[line.kind](line.text, style))].join("\n");
}

const MARKED: Readonly<Record<Line["kind"], (text: string, style: Style) => string>> = {
  text: (text) => text,
  tool: (text, style) => `  ${style.cyan("▸")} ${text}`,
  error: (text, style) => `    ${style.red("✗")} ${text}`,
  aside: (text, style) => style.dim(text),
};
