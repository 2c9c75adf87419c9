import type { Logger } from "../../src/base/index.js";

export interface LogEntry {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Record<string, unknown> | undefined;
}

/** A logger that keeps what it is told. */
export function recordingLogger(): { logger: Logger; entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) => {
    entries.push({ level, message, fields });
  };
  return {
    entries,
    logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
  };
}
