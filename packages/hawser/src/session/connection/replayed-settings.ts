import type { Options } from "../../options/index.js";
import type { HostRequest, JsonObject } from "../../wire/index.js";

/** The settings that were changed in a running process, to replay them to a new process. */
export class ReplayedSettings {
  readonly #last = new Map<string, HostRequest>();
  #flags: JsonObject = {};

  /** To be called with every request that the CLI has accepted. */
  add(request: HostRequest): void {
    if (REPLACES.has(request.subtype)) this.#last.set(request.subtype, request);
    // Each such request adds its keys to the keys of the earlier requests.
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

/** Requests of which only the last of each kind counts. */
const REPLACES: ReadonlySet<string> = new Set([
  "set_model",
  "set_permission_mode",
  "set_max_thinking_tokens",
  "mcp_set_servers",
]);

/** The options that resume a session, in place of the options that began it. */
export function resumeOptions(options: Options, sessionId: string): Options {
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

/** A new process counts its costs from zero, so its budget is the rest of the session's budget. */
export function reduceBudget(options: Options, spentUsd: number): Options {
  const { maxBudgetUsd } = options;
  if (maxBudgetUsd === undefined) return options;
  // The CLI rejects a budget of 0, so an exhausted budget is the smallest positive amount.
  return { ...options, maxBudgetUsd: Math.max(maxBudgetUsd - spentUsd, SMALLEST_BUDGET_USD) };
}

const SMALLEST_BUDGET_USD = 1e-6;
