import { isObject } from "../../base/index.js";
import type { Message } from "../../wire/index.js";

/** The messages in the output of a CLI. */
export interface CliMessages {
  readonly form: "object" | "array" | "lines";
  readonly messages: readonly Message[];
  readonly noise: readonly string[];
  /** Whether the output ends in the middle of a message. */
  readonly cutOff: boolean;
}

/** Reads the output in any of its forms. A single line counts as an object. */
export function readCliMessages(text: string): CliMessages {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const whole = parse(body);
  return whole === undefined ? readLines(body) : toCliMessages([whole], [], false);
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The start of an object or of an array of objects. A bracket alone may be the start of a log line. */
const BEGINNING = /^\s*(\[\s*)?\{/;

/** Splits at LF only, because older CLIs write other line separators inside strings. */
function readLines(text: string): CliMessages {
  const parsed: (Message | readonly unknown[])[] = [];
  const noise: string[] = [];
  let cutOff = false;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const item = parse(line);
    if (item === undefined) noise.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    else parsed.push(item);
    // A broken message stays broken, even if noise follows.
    cutOff = item === undefined && (cutOff || BEGINNING.test(line));
  }
  return toCliMessages(parsed, noise, cutOff);
}

function toCliMessages(
  parsed: readonly (Message | readonly unknown[])[],
  noise: readonly string[],
  cutOff: boolean,
): CliMessages {
  const [only] = parsed;
  const alone = Array.isArray(only) ? "array" : "object";
  const form = parsed.length > 1 ? "lines" : alone;
  const messages = parsed.flatMap((item) => (isList(item) ? item.filter(isMessageObject) : [item]));
  return { form, messages, noise, cutOff };
}

/** Parses an object or an array. Other JSON values are not part of the protocol. */
function parse(text: string): Message | readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMessageObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isList(item: Message | readonly unknown[]): item is readonly unknown[] {
  return Array.isArray(item);
}

function isMessageObject(value: unknown): value is Message {
  return isObject(value);
}
