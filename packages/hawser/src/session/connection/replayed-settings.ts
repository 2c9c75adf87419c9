import type { Options } from "../../options/index.js";
import type { HostRequest, JsonObject } from "../../wire/index.js";

/** What was changed in a running process, so that a new one can be brought to the same state. */
export class ReplayedSettings {
  readonly #last = new Map<string, HostRequest>();
  #flags: JsonObject = {};

  /** To be told of every request that the CLI has accepted. */
  add(request: HostRequest): void {
    if (REPLACES.has(request.subtype)) this.#last.set(request.subtype, request);
    // Each of these lays its keys over those of the ones before.
    if (request.subtype === "apply_flag_settings" && "settings" in request) {
      this.#flags = { ...this.#flags, ...(request.settings as JsonObject) };
    }
  }

  get requests(): readonly HostRequest[] {
    const settings = this.#flags;
    const flags = { subtype: "apply_flag_settings", settings };
    return Object.keys(settings).length === 0
      ? [...this.#last.values()]
      : [...this.#last.values(), flags];
  }
}

/** Each of these replaces the one before it. */
const REPLACES: ReadonlySet<string> = new Set([
  "set_model",
  "set_permission_mode",
  "set_max_thinking_tokens",
  "mcp_set_servers",
]);

/** The options that go on with a session, in place of those that once began it. */
export function resuming(options: Options, sessionId: string): Options {
  const {
    continue: _continue,
    forkSession: _fork,
    resumeSessionAt: _at,
    resumeDropsTurn: _drops,
    sessionId: _id,
    ...rest
  } = options;
  return { ...rest, resume: sessionId };
}

/** A new process counts what it spends from nothing: its budget is what is left of the session's. */
export function withoutSpent(options: Options, spentUsd: number): Options {
  const { maxBudgetUsd } = options;
  if (maxBudgetUsd === undefined) return options;
  // A budget of nothing is no budget that the CLI takes.
  return { ...options, maxBudgetUsd: Math.max(maxBudgetUsd - spentUsd, SMALLEST_BUDGET_USD) };
}

const SMALLEST_BUDGET_USD = 1e-6;
