import type { Message } from "../../wire/index.js";

export interface CliMessages {
  readonly form: "object" | "array" | "lines";
  readonly messages: readonly Message[];
  readonly noise: readonly string[];
  /** Whether the last thing that looks like a message has no end. */
  readonly cutOff: boolean;
}

/** The messages of an output in any of its forms. One line alone counts as an object. */
export function readCliMessages(text: string): CliMessages {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const whole = parse(body);
  return whole === undefined ? readLines(body) : asRead([whole], [], false);
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Of an object, or of an array of them; a log line may begin with a bracket too. */
const BEGINNING = /^\s*(\[\s*)?\{/;

/** LF only: older CLIs write other line separators inside of strings. */
function readLines(text: string): CliMessages {
  const parsed: (Message | readonly unknown[])[] = [];
  const noise: string[] = [];
  let cutOff = false;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const item = parse(line);
    if (item === undefined) noise.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    else parsed.push(item);
    // Noise after it does not make a broken message whole.
    cutOff = item === undefined && (cutOff || BEGINNING.test(line));
  }
  return asRead(parsed, noise, cutOff);
}

function asRead(
  parsed: readonly (Message | readonly unknown[])[],
  noise: readonly string[],
  cutOff: boolean,
): CliMessages {
  const [only] = parsed;
  const alone = Array.isArray(only) ? "array" : "object";
  const form = parsed.length > 1 ? "lines" : alone;
  const messages = parsed.flatMap((item) => (isList(item) ? item.filter(isObject) : [item]));
  return { form, messages, noise, cutOff };
}

/** An object or an array; other JSON is no part of the protocol. */
function parse(text: string): Message | readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isList(item: Message | readonly unknown[]): item is readonly unknown[] {
  return Array.isArray(item);
}

function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
