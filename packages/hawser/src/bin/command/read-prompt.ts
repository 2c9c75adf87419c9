import { fstatSync, readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { HawserError } from "../../base/index.js";
import type { ContentBlock, Prompt } from "../../wire/index.js";
import { readNamed } from "./call-flags.js";
import { usageError } from "./flags.js";

export interface PromptSource {
  readonly words: readonly string[];
  readonly file: string | undefined;
  readonly attachments: readonly string[];
  /** Called when stdin, which `-` did not ask for, sends nothing. */
  readonly warn: (text: string) => void;
}

/**
 * The prompt: the words, then the file, then the piped input, with blank lines between; attachments
 * become blocks. The word `-` asks to wait for the input.
 */
export async function readPrompt(source: PromptSource): Promise<Prompt> {
  const { words, file, attachments } = source;
  const isWanted = words.includes("-");
  const said = words.filter((word) => word !== "-").join(" ");
  const written = file === undefined ? "" : readNamed("--file", file);
  const isNeeded = isWanted || (said === "" && written === "");
  if (isNeeded && process.stdin.isTTY && !isWanted) throw nothingToAsk();
  const piped = await readInput(isNeeded, source.warn);
  const text = [said, written, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text === "") throw nothingToAsk();
  if (attachments.length === 0) return text;
  return [...attachments.map(blockOf), { type: "text", text }];
}

function nothingToAsk(): HawserError {
  return usageError(
    "There is no prompt.",
    "Write it after the options, pipe it in, or use --file.",
  );
}

/** What is piped in; empty if nothing is. Not much more is read than the largest input that is of use. */
export function readPiped(warn: (text: string) => void, largest?: number): Promise<string> {
  return readInput(false, warn, largest);
}

/** An open pipe without a writer must not delay a prompt that the words already give. */
const PIPE_WAIT_MS = 3000;

async function readInput(
  isNeeded: boolean,
  warn: (text: string) => void,
  largest: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  if (!isNeeded && !isPiped()) return "";
  const { stdin } = process;
  let timer: NodeJS.Timeout | undefined;
  if (!isNeeded) {
    timer = setTimeout(() => {
      warn("nothing has arrived on stdin yet, so it is ignored");
      stdin.destroy();
    }, PIPE_WAIT_MS);
  }
  let text = "";
  stdin.setEncoding("utf8");
  try {
    for await (const piece of stdin) {
      clearTimeout(timer);
      text += piece;
      if (text.length > largest) break;
    }
  } catch (error) {
    // The timer destroyed the stream, or the parent process closed it: there is no input.
    if (isNeeded)
      throw new HawserError("invalid_options", "Cannot read the prompt from stdin.", {
        cause: error,
      });
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** Whether stdin is a pipe, a file or a socket, and not a terminal or /dev/null. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // There is no stdin.
    return false;
  }
}

function blockOf(path: string): ContentBlock {
  const type = MEDIA[extname(path).toLowerCase()];
  if (type === undefined) {
    const data = readNamed("--attach", path);
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data },
      title: basename(path),
    };
  }
  const source = { type: "base64", media_type: type, data: readBytes(path) } as const;
  if (type !== "application/pdf") return { type: "image", source };
  return { type: "document", source, title: basename(path) };
}

const MEDIA: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
};

function readBytes(path: string): string {
  try {
    return readFileSync(path).toString("base64");
  } catch (error) {
    throw usageError(`Cannot read --attach ${path}: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
