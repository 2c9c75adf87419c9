import type { HawserError, History, Options, Prompt, SDKResultMessage } from "hawser";
import type { Queryable } from "../database/database.js";

/**
 * The options of a run that travel through the database: plain data, and nothing that names a program, a file, a
 * variable or a key of the worker's machine. Those belong to the worker's profile.
 */
export type RunOptions = Pick<
  Options,
  | "model"
  | "fallbackModel"
  | "systemPrompt"
  | "maxTurns"
  | "maxBudgetUsd"
  | "effort"
  | "thinking"
  | "allowedTools"
  | "disallowedTools"
> & {
  /**
   * Earlier messages of the conversation, for a run that begins a new session. The worker adds them before the prompt.
   */
  readonly history?: History;
  /** JSON Schema of the value that the run returns. */
  readonly schema?: Readonly<Record<string, unknown>>;
};

/** What `fleet.submit()` takes beside the prompt. */
export interface SubmitOptions extends RunOptions {
  /** Who pays, and whose turn it is. @default "default" */
  readonly tenant?: string;
  /** What a worker knows by this name: functions, servers and keys do not travel. @default "default" */
  readonly profile?: string;
  /** Which workers may take it (`labels` of the worker). @default "default" */
  readonly queue?: string;
  /** Continue this session, or a copy of it. @default a new session */
  readonly session?: string | { readonly fork: string };
  /** What happens while another run of the session is not settled. @default "queue" */
  readonly onBusySession?: "queue" | "reject" | "interrupt";
  /** @default "normal" */
  readonly priority?: "low" | "normal" | "high";
  /**
   * The same key of the same tenant is the same run. The same key with another request is `invalid_options`;
   * `startAfter` and `deadline` are not compared, because programs count them from the present.
   */
  readonly key?: string;
  /** The most that this run may cost. */
  readonly budgetUsd?: number;
  readonly startAfter?: Date;
  /** A run that is not settled by then fails with `timeout`. */
  readonly deadline?: Date;
  /** The time of work, without waiting for a turn or for people. */
  readonly timeoutMs?: number;
  /** How many hosts may die of it before it fails with `host_lost`. @default 3 */
  readonly attempts?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * A client in your own transaction: the run exists if you commit. Keep the transaction short: until it ends, other
   * runs of the same tenant wait to be accepted, and the result of a run of the same session waits to be recorded.
   */
  readonly db?: Queryable;
}

/**
 * - `queued`: waits for a worker.
 * - `held`: waits until an earlier run of its session is settled.
 * - `running`: a worker has it.
 * - `waiting`: a person must answer a question; no process is held.
 */
export type RunState = "queued" | "held" | "running" | "waiting" | "done" | "failed" | "cancelled";

/** One run, from any program that has opened the fleet. */
export interface Run {
  readonly id: string;
  info(): Promise<RunInfo>;
  /** Resolves when the run is done; rejects with the error of a run that failed or was cancelled. */
  result(options?: { readonly signal?: AbortSignal }): Promise<RunOutcome>;
  /** The events after the number `after`, until the run is settled. */
  events(options?: {
    readonly after?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<RunEvent>;
  /** False if the run was settled before. */
  cancel(reason?: string): Promise<boolean>;
  /** Puts a failed run back into the queue. False unless it has failed. */
  retry(): Promise<boolean>;
}

/** Plain data: what the database knows of a run. */
export interface RunInfo {
  readonly id: string;
  readonly tenant: string;
  readonly profile: string;
  readonly queue: string;
  readonly state: RunState;
  readonly prompt: Prompt;
  readonly options: RunOptions;
  readonly sessionId: string;
  /** The session of which this run continues a copy: its first segment resumes that one as a fork. */
  readonly forkOf?: string;
  readonly priority: "low" | "normal" | "high";
  readonly key?: string;
  readonly budgetUsd?: number;
  /** The time of work that it may take, over all segments. */
  readonly timeoutMs?: number;
  /** The time of work that it has taken in the segments that have ended. */
  readonly workedMs: number;
  readonly startAfter?: Date;
  readonly metadata: Readonly<Record<string, string>>;
  /** How many segments were begun: one for each claim. */
  readonly segments: number;
  /** How many hosts died of it. */
  readonly deaths: number;
  readonly costUsd: number;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly deadline?: Date;
  readonly host?: string;
  readonly outcome?: RunOutcome;
  readonly error?: RunFailure;
}

/** What a run came to. */
export interface RunOutcome {
  readonly text: string;
  /** With `schema`: the value. */
  readonly value?: unknown;
  /** All segments together, estimates of lost ones included. */
  readonly costUsd: number;
  /** Whether a part of the cost is an estimate, because a host died. */
  readonly costEstimated: boolean;
  readonly sessionId: string;
  readonly stop: "completed" | "max_turns" | "max_budget" | "hook_stopped";
  readonly usage: SDKResultMessage["usage"];
  readonly segments: number;
  /** Tool calls that were cut off: nobody knows whether they took effect. The model was told. */
  readonly uncertainTools: readonly ToolIntent[];
}

/** An error as plain data. */
export interface RunFailure {
  readonly code: HawserError["code"];
  readonly message: string;
  readonly hint?: string;
}

/** A tool call, written down before it was allowed to begin. */
export interface ToolIntent {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly segment: number;
  /** Whether the CLI reported its end. */
  readonly done: boolean;
  readonly at: Date;
}

/** What happened, numbered from 1 in each run without gaps, apart from deleted pieces of text. */
export type RunEvent = { readonly seq: number; readonly at: Date } & RunEventBody;

export type RunEventBody =
  | { readonly type: "queued" | "held" }
  /** A worker begins a segment: new, resumed after a death, or resumed after an answer. */
  | {
      readonly type: "started";
      readonly segment: number;
      readonly host: string;
      readonly how: "new" | "recovered" | "answered" | "returned";
    }
  /**
   * A piece of the text of the answer; pieces of 200 ms are joined. The pieces of a segment are deleted when it ends,
   * because its messages hold the whole text. A reader that comes later does not see their numbers.
   */
  | { readonly type: "text"; readonly text: string }
  /** A whole message of the CLI: assistant, user (tool results) or result. */
  | { readonly type: "message"; readonly message: unknown }
  /** The model made a tool call. It begins now, unless a rule of the CLI denies it or a person is `asked` first. */
  | {
      readonly type: "tool";
      readonly toolUseId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | {
      readonly type: "asked";
      readonly approval: string;
      readonly tool: string;
      readonly summary: string;
    }
  | {
      readonly type: "answered";
      readonly approval: string;
      readonly outcome: string;
      readonly by?: string;
    }
  /** The run waits for a person without a process. */
  | { readonly type: "parked"; readonly approval: string }
  /** The host is gone, its CLI has crashed, or it cannot run a CLI; these calls are uncertain. */
  | {
      readonly type: "lost";
      readonly segment: number;
      readonly uncertain: readonly ToolIntent[];
      /** What was wrong on the host, if it could say so. */
      readonly error?: RunFailure;
      /** The run does not go on. */
      readonly isLast?: true;
    }
  | { readonly type: "returned"; readonly reason: string }
  | {
      readonly type: "ended";
      readonly state: "done" | "failed" | "cancelled";
      readonly error?: RunFailure;
    };
