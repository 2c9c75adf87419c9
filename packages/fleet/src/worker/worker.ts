import type { Logger, SessionOptions } from "hawser";
import type { RunInfo, ToolIntent } from "../runs/run.js";

/** What `fleet.work()` takes. */
export interface WorkOptions {
  /** What the names of profiles mean here: the options of a session, functions, servers and keys included. */
  readonly profiles: Readonly<
    Record<string, SessionOptions | ((run: RunInfo) => SessionOptions | Promise<SessionOptions>)>
  >;
  /** How many CLIs run at once. @default by the memory of the machine, 350 MB for each, at most two a core */
  readonly slots?: number;
  /**
   * Where a run works.
   * @default the folder `cwd` of the profile, or else an empty folder that is removed when the run is settled
   */
  readonly workspace?: (run: RunInfo) => Promise<Workspace>;
  /** The key or token of a run's tenant. @default that of the profile */
  readonly credential?: (
    run: RunInfo & { readonly account: string },
  ) => Promise<{ readonly apiKey?: string; readonly oauthToken?: string }>;
  /** Which calls a person decides. @default what the CLI itself would ask */
  readonly approve?: (
    call: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
    run: RunInfo,
  ) => "allow" | "ask" | "deny" | undefined | Promise<"allow" | "ask" | "deny" | undefined>;
  /** So long a process waits for a person before its run is parked. @default 5_000 */
  readonly holdMs?: number;
  /** After this time a question is denied. @default no limit */
  readonly approvalTimeoutMs?: number;
  /** What becomes of tool calls that a dead host had begun. @default "tell" */
  readonly onUncertain?: "tell" | "ask" | "fail";
  /** The prompt with which a run of a dead host goes on. */
  readonly onRecover?: (run: RunInfo, uncertain: readonly ToolIntent[]) => string;
  /** The queues that it serves. @default ["default"] */
  readonly labels?: readonly string[];
  /** The name of this worker in `fleet.stats()` and in events. @default the host's name and the process id */
  readonly name?: string;
  /** How long running segments may go on after `drain()`. @default 30_000 */
  readonly drainMs?: number;
  readonly logger?: Logger;
}

export interface Workspace extends Partial<AsyncDisposable> {
  readonly cwd: string;
  /** Called when the segment ends; `settled` is false if the run goes on later, perhaps elsewhere. */
  dispose?(settled: boolean): Promise<void>;
}

export interface Worker extends AsyncDisposable {
  readonly name: string;
  /** How many segments run now. */
  readonly active: number;
  readonly slots: number;
  /** Claims nothing more; resolves when the running segments have ended or were given back. */
  drain(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Gives back all segments at once. */
  close(): Promise<void>;
}
