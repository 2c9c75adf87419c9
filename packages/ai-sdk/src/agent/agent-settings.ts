import { HawserError, type Options } from "hawser";

/** The options of `hawser` that an agent of the AI SDK does not take, because the request or this package sets them. */
type SetByRequest =
  | "abortController"
  | "autoResume"
  | "bare"
  | "clientTools"
  | "continue"
  | "forkSession"
  | "history"
  | "includePartialMessages"
  | "model"
  | "outputFormat"
  | "pool"
  | "preset"
  | "recover"
  | "resume"
  | "resumeSessionAt"
  | "schema"
  | "sessionId"
  | "signal"
  | "toolChoice";

/**
 * The settings of `hawser.agent()`: the options of the CLI's agent, such as `cwd`, `allowedTools`, `permissionMode`,
 * `rules` and `mcpServers`. They win over the settings of `createHawser()`.
 */
export interface AgentSettings extends Omit<Options, SetByRequest> {
  /**
   * How long a turn waits for an answer to a question of permission, or for the result of a tool, in milliseconds. Then
   * the question is denied, and the process of the turn ends.
   * @default 300000
   */
  readonly parkedMs?: number | undefined;
  /**
   * How many turns of the provider may wait at the same time. Each of them keeps a process. If one more turn has to
   * wait, the turn that has waited longest ends.
   * @default half of the pool's processes
   */
  readonly maxParked?: number | undefined;
  /**
   * How many characters of a tool's result are shown. The model itself gets the whole result, except when the
   * conversation is sent again with a later request.
   * @default 50000
   */
  readonly maxResultChars?: number | undefined;
}

/** The settings that are not options of `hawser`. */
export interface ParkingSettings {
  readonly parkedMs: number;
  readonly maxParked: number | undefined;
  readonly maxResultChars: number;
}

/**
 * Splits the settings of an agent into the options of `hawser` and the rest. Throws `invalid_options` for a limit that is
 * none.
 */
export function splitSettings(settings: AgentSettings): {
  readonly options: Options;
  readonly parking: ParkingSettings;
} {
  const { parkedMs = 300_000, maxParked, maxResultChars = 50_000, ...options } = settings;
  requirePositive({ parkedMs, maxParked, maxResultChars });
  const limitMs = Math.min(parkedMs, LONGEST_MS);
  return { options, parking: { parkedMs: limitMs, maxParked, maxResultChars } };
}

/** The longest time of a timer of Node, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

function requirePositive(limits: Readonly<Record<string, number | undefined>>): void {
  const wrong = Object.entries(limits).filter(([, limit]) => limit !== undefined && !(limit > 0));
  if (wrong.length === 0) return;
  const names = wrong.map(([name]) => `\`${name}\``).join(", ");
  throw new HawserError("invalid_options", `hawser.agent() got no positive number as ${names}.`, {
    issues: wrong.map(([path]) => ({ path, message: "must be a number greater than 0" })),
  });
}
