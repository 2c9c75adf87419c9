import { type Logger, maskSecrets } from "hawser";

/** A logger that writes lines of JSON, each with its time and level. Secrets are masked. */
export function jsonLogger(write: (line: string) => void): Logger {
  const at =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      const entry = { time: new Date().toISOString(), level, message, ...fields };
      write(`${maskSecrets(JSON.stringify(entry, withErrors))}\n`);
    };
  return { debug() {}, info: at("info"), warn: at("warn"), error: at("error") };
}

/** An error has no enumerable fields, so JSON would show nothing of it. */
function withErrors(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, code } = value as NodeJS.ErrnoException;
  return { name, message, ...(code === undefined ? {} : { code }) };
}
