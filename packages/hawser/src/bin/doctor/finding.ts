import { type Environment, ERROR_CODES, type ErrorCode } from "../../base/index.js";
import { ADVICE } from "../hints.js";

export type Level = "ok" | "note" | "warning" | "problem";

/** One thing that was looked at. */
export interface Finding {
  /** Stable; there may be several with the same one. */
  readonly id: string;
  readonly level: Level;
  /** What a call that meets it fails with. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly remedy?: string;
}

/** What the checks look at. */
export interface Scene {
  readonly env: Environment;
  readonly cwd: string;
  /** The CLI that was asked for. */
  readonly cliPath?: string;
}

export type Check = (scene: Scene) => readonly Finding[] | Promise<readonly Finding[]>;

export function ok(id: string, message: string): Finding {
  return { id, level: "ok", message };
}

/** Neither good nor bad, but good to know. */
export function note(id: string, message: string, remedy?: string): Finding {
  return { id, level: "note", message, ...given({ remedy }) };
}

export function warning(id: string, message: string, remedy: string, code?: ErrorCode): Finding {
  return { id, level: "warning", ...given({ code }), message, remedy };
}

export function problem(
  id: string,
  code: ErrorCode,
  message: string,
  remedy: string = ADVICE[code].hint,
): Finding {
  return { id, level: "problem", code, message, remedy };
}

/** That of the first problem; warnings are no failure. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const code = findings.find(({ level }) => level === "problem")?.code;
  return code === undefined ? 0 : ERROR_CODES[code].exitCode;
}

function given<T extends object>(facts: T): { [N in keyof T]?: NonNullable<T[N]> } {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [N in keyof T]?: NonNullable<T[N]> };
}
