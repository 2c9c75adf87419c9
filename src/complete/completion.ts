import type { PermissionDenial, ResultMessage, Usage } from "../wire/index.js";

/** Why the CLI stopped; everything else is thrown. */
export type Stop = "completed" | "max_turns" | "max_budget" | "hook_stopped";

/** Which credential the CLI used, never its value. */
export interface CredentialInfo {
  readonly kind: "apiKey" | "oauthToken" | "login" | "unknown";
  /** The variable or store it came from, in the CLI's own words. */
  readonly source: string | undefined;
}

/** Milliseconds; what was not seen is `undefined`. */
export interface Timing {
  readonly queuedMs: number | undefined;
  readonly bootMs: number | undefined;
  readonly firstTokenMs: number | undefined;
  readonly apiMs: number | undefined;
  readonly totalMs: number;
}

export interface Completion<T = undefined> {
  readonly text: string;
  readonly value: T;
  readonly model: string | undefined;
  readonly sessionId: string;
  readonly stop: Stop;
  readonly turns: number;
  readonly resumes: number;
  readonly usage: Usage;
  /** Unknown stays `undefined`; it is never a made-up zero. */
  readonly costUsd: number | undefined;
  readonly permissionDenials: readonly PermissionDenial[];
  readonly credential: CredentialInfo;
  readonly timing: Timing;
  /** The CLI's own line. */
  readonly result: ResultMessage;
}
