import { type Logger, objectOf } from "../../base/index.js";
import { compareVersions, DEFERS_SINCE, parseVersion } from "../../options/index.js";
import type { HookOutput } from "../../wire/index.js";
import type { AnnouncedSession } from "./announced-session.js";

/** A tool call that is to be deferred. */
interface DeferredCall {
  readonly tool_use_id?: string | undefined;
  /** The sub-agent that makes the call. */
  readonly agent_id?: string | undefined;
}

/**
 * Denies the deferrals that the CLI would lose without a word. Observed on 2.1.197 and 2.1.325: of two calls of
 * one message only the later is kept, and a call of a sub-agent ends the sub-agent.
 */
export class Deferrals {
  readonly #session: Pick<AnnouncedSession, "results">;
  readonly #cliVersion: () => string | undefined;
  /** The last call that was deferred, and the turn that ends with it. */
  #deferred: { readonly toolUseId: string | undefined; readonly turn: number } | undefined;

  constructor(session: Pick<AnnouncedSession, "results">, cliVersion: () => string | undefined) {
    this.#session = session;
    this.#cliVersion = cliVersion;
  }

  /** The answer of a PreToolUse hook, or a denial in its place. */
  check(output: HookOutput, call: DeferredCall, log: Logger): HookOutput {
    const { permissionDecision } = objectOf(objectOf(output)["hookSpecificOutput"]);
    if (permissionDecision !== "defer") return output;
    const reason = this.#refusal(call);
    if (reason === undefined) {
      this.#deferred = { toolUseId: call.tool_use_id, turn: this.#session.results };
      return output;
    }
    log.warn("a call cannot be deferred, so it was denied", { reason });
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: reason,
      },
    };
  }

  #refusal({ tool_use_id, agent_id }: DeferredCall): string | undefined {
    const version = parseVersion(this.#cliVersion() ?? "");
    const since = parseVersion(DEFERS_SINCE);
    if (version !== undefined && since !== undefined && compareVersions(version, since) < 0)
      return TOO_OLD;
    if (agent_id !== undefined) return OF_SUBAGENT;
    const { toolUseId, turn } = this.#deferred ?? {};
    return turn !== this.#session.results || toolUseId === tool_use_id ? undefined : SECOND;
  }
}

const TOO_OLD = `A call cannot be deferred: this needs Claude Code ${DEFERS_SINCE} or newer.`;
const OF_SUBAGENT =
  "This call needs a decision that a sub-agent cannot wait for. Say so in your answer: the main agent can make the call.";
const SECOND =
  "This call is not decided yet, because another call of the same message waits for a decision. Make this call again when the other call has its result.";
