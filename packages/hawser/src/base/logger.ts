import { type Mask, maskDeep } from "./mask.js";

/**
 * What a logger must have: a message first, then fields. `console` and winston fit as they are. A logger
 * of pino takes the fields first; Hawser recognises it and calls it in that order. A field `error` is an
 * Error whose message and stack are enumerable, so that a logger that writes JSON writes them too.
 */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The logger that hawser's own code uses: what it passes on is masked, every text is cut, and a
 * logger that throws harms nothing.
 */
export function guardLogger(logger: Logger | undefined, mask: Mask): Logger {
  if (logger === undefined || logger === SILENT) return SILENT;
  const at = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) => {
    try {
      const text = cut(mask(message));
      const masked = fields && (cutDeep(maskDeep(fields, mask)) as Record<string, unknown>);
      const told: unknown = tell(logger, level, text, masked);
      if (told instanceof Promise) told.catch(ignore);
    } catch {
      ignore();
    }
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function tell(
  logger: Logger,
  level: keyof Logger,
  text: string,
  fields: Record<string, unknown> | undefined,
): unknown {
  if (fields === undefined) return logger[level](text);
  if (!(PINO in logger)) return logger[level](text, fields);
  return (logger as unknown as FieldsFirst)[level](fields, text);
}

/** A logger of pino, which drops fields that come after the message. */
type FieldsFirst = Record<keyof Logger, (fields: object, message: string) => unknown>;

/** Every logger of pino has this property, also a child of one. */
const PINO = Symbol.for("pino.serializers");

/** The caller's logger is broken; the call it logs about is not. */
function ignore(): void {}

const LONGEST = 200;

/** A stack is of use only as a whole, but its message may be of any length. */
const LONGEST_STACK = 8000;

function cut(text: string, longest = LONGEST): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

function cutDeep(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.map(cutDeep);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return shownError(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDeep(item)]));
}

/** A copy whose message and stack are enumerable, because JSON.stringify() skips those of an Error. */
function shownError(error: Error): Error {
  const { name, message, stack = "", cause } = error;
  const facts = {
    ...(cutDeep({ ...error }) as object),
    ...(cause === undefined ? {} : { cause: cutDeep(cause) }),
    name,
    message: cut(message, LONGEST_STACK),
    stack: cut(stack, LONGEST_STACK),
  };
  const shown = new Error(facts.message);
  for (const [key, value] of Object.entries(facts)) {
    Object.defineProperty(shown, key, { value, enumerable: true, configurable: true });
  }
  return shown;
}
