import { type Environment, ERROR_CODES, type ErrorCode, omitUndefined } from "../../base/index.js";
import { ERROR_ADVICE } from "../command/error-advice.js";

export type Level = "ok" | "note" | "warning" | "problem";

/** The result of one check. */
export interface Finding {
  /** A stable name of the check; several findings may have the same. */
  readonly id: string;
  readonly level: Level;
  /** The error code of a call that fails because of it. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly remedy?: string;
}

/** The environment that the checks examine. */
export interface CheckContext {
  readonly env: Environment;
  readonly cwd: string;
  /** The CLI that `--cli` names. */
  readonly cliPath?: string;
}

export type Check = (context: CheckContext) => readonly Finding[] | Promise<readonly Finding[]>;

export function ok(id: string, message: string): Finding {
  return { id, level: "ok", message };
}

/** A fact that is neither good nor bad. */
export function note(id: string, message: string, remedy?: string): Finding {
  return { id, level: "note", message, ...omitUndefined({ remedy }) };
}

export function warning(id: string, message: string, remedy: string, code?: ErrorCode): Finding {
  return { id, level: "warning", ...omitUndefined({ code }), message, remedy };
}

export function problem(
  id: string,
  code: ErrorCode,
  message: string,
  remedy: string = ERROR_ADVICE[code].hint,
): Finding {
  return { id, level: "problem", code, message, remedy };
}

/** The exit code of the first problem; warnings count as success. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const code = findings.find(({ level }) => level === "problem")?.code;
  return code === undefined ? 0 : ERROR_CODES[code].exitCode;
}
