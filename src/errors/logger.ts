import { type Mask, maskDeep } from "./mask.js";

/** What a logger must have; `console` fits, and so do pino and winston. */
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
      const told: unknown =
        masked === undefined ? logger[level](text) : logger[level](text, masked);
      if (told instanceof Promise) told.catch(ignore);
    } catch {
      ignore();
    }
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The caller's logger is broken; the call it logs about is not. */
function ignore(): void {}

const LONGEST = 200;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function cutDeep(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.map(cutDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDeep(item)]));
}
