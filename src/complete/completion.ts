import { recordOf, type Session, type Stop, stopOf, type Turn } from "../session/index.js";
import type { PermissionDenial, ResultMessage, Usage } from "../wire/index.js";
import { credentialOf } from "./credential.js";

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

/** The outcome of a turn: a completion, or the error it reports. */
export async function completionOf(
  session: Session,
  turn: Turn,
  startedAt: number,
): Promise<Completion> {
  const boot: { info?: unknown; at?: number } = {};
  session.initializationResult().then(
    (info) => Object.assign(boot, { info, at: performance.now() }),
    // A start that failed ends the turn, which tells why.
    () => {},
  );
  const text = await turn.text();
  const totalMs = performance.now() - startedAt;
  const result = await turn.result;
  const { model, firstTokenAt } = recordOf(turn);
  const since = (at: number | undefined) => (at === undefined ? undefined : at - startedAt);
  return {
    text,
    value: undefined,
    model,
    sessionId: result.session_id,
    stop: stopOf(result) ?? "completed",
    turns: result.num_turns,
    resumes: 0,
    usage: result.usage,
    costUsd: result.total_cost_usd,
    permissionDenials: result.permission_denials ?? [],
    credential: credentialOf(boot.info),
    timing: {
      queuedMs: undefined,
      bootMs: since(boot.at),
      firstTokenMs: since(firstTokenAt),
      apiMs: result.duration_api_ms,
      totalMs,
    },
    result,
  };
}
