import { type Mask, maskDeep } from "./mask.js";

/**
 * A logger for the option `logger`: `console`, or a logger of winston or pino. Each method takes a
 * message and then fields; a pino logger is recognised and gets the fields first. A field `error`
 * is an Error whose message and stack are enumerable, so that a logger that writes JSON writes them
 * too.
 */
export interface Logger {
  /** Details, for debugging. */
  debug(message: string, fields?: Record<string, unknown>): void;
  /** Events, such as the start and the exit of a process. */
  info(message: string, fields?: Record<string, unknown>): void;
  /** Something that was asked for is not done, or was done in another way. */
  warn(message: string, fields?: Record<string, unknown>): void;
  /** A failure, such as an error of your callback. */
  error(message: string, fields?: Record<string, unknown>): void;
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The logger that hawser's own code uses. It masks secrets, cuts long texts, and ignores errors of
 * the caller's logger.
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

/** An error of the caller's logger must not fail the call that it logs. */
function ignore(): void {}

const LONGEST = 200;

/** A stack is useful only as a whole, but its message may be of any length. */
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

/**
 * A copy whose message and stack are enumerable, because JSON.stringify() skips those of an Error.
 */
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
