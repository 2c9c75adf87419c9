import type {
  Approval,
  ApprovalDecision,
  ApprovalOutcome,
  ApprovalRecord,
  History,
  Options,
  Prompt,
  SDKResultMessage,
} from "hawser";

/**
 * The part of a fleet that a gateway uses. What `openFleet()` of `@hawser/fleet` returns is one. The gateway does not
 * depend on that package.
 */
export interface GatewayFleet {
  submit(prompt: Prompt, options: FleetRunRequest): Promise<FleetRun>;
  run(id: string): FleetRun;
  /** The newest first. */
  runs(filter: FleetRunFilter): AsyncIterable<FleetRunInfo>;
  readonly approvals: FleetQuestions;
  /** The fleet at one moment. With it, admins can read `GET /hawser/v1/fleet`. */
  stats?(): Promise<FleetState>;
  readonly tenants?: FleetTenants;
  /** JSON values of tenants, by name of the collection. With it, responses are kept in the database. */
  documents?(collection: string): FleetDocuments;
}

/** The fleet at one moment. Other fields are passed on to clients as they are. */
export interface FleetState {
  readonly runs: Readonly<Record<FleetRunState, number>>;
  readonly hosts: readonly object[];
  /** How many questions are open. */
  readonly approvals: number;
  readonly accounts: readonly object[];
}

/** The tenants of a fleet. */
export interface FleetTenants {
  /** The tenants with their runs, limits and spending. */
  list(): Promise<readonly object[]>;
}

/** The options of a run that travel to its worker. Everything else is the worker's profile. */
export type FleetRunOptions = Pick<
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
>;

export interface FleetRunRequest extends FleetRunOptions {
  readonly tenant?: string;
  readonly profile?: string;
  readonly queue?: string;
  readonly history?: History;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly session?: string | { readonly fork: string };
  readonly onBusySession?: "queue" | "reject" | "interrupt";
  readonly priority?: "low" | "normal" | "high";
  readonly key?: string;
  readonly budgetUsd?: number;
  readonly startAfter?: Date;
  readonly deadline?: Date;
  readonly timeoutMs?: number;
  readonly attempts?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

export const RUN_STATES = [
  "queued",
  "held",
  "running",
  "waiting",
  "done",
  "failed",
  "cancelled",
] as const;

export type FleetRunState = (typeof RUN_STATES)[number];

export interface FleetRunFilter {
  readonly tenant?: string;
  readonly state?: readonly FleetRunState[];
  readonly session?: string;
  readonly limit?: number;
}

/** One run. */
export interface FleetRun {
  readonly id: string;
  /** Rejects with `invalid_options` and the path `id` if there is no such run. */
  info(): Promise<FleetRunInfo>;
  result(options?: { readonly signal?: AbortSignal }): Promise<FleetOutcome>;
  events(options?: {
    readonly after?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<FleetRunEvent>;
  cancel(reason?: string): Promise<boolean>;
  retry(): Promise<boolean>;
}

/** What is known of a run. Other fields are passed on to clients as they are. */
export interface FleetRunInfo {
  readonly id: string;
  readonly tenant: string;
  readonly state: FleetRunState;
  readonly endedAt?: Date;
}

export interface FleetOutcome {
  readonly text: string;
  readonly costUsd: number;
  readonly costEstimated: boolean;
  readonly stop: "completed" | "max_turns" | "max_budget" | "hook_stopped";
  readonly usage: SDKResultMessage["usage"];
}

/** An event of a run, numbered from 1. The fields are those that the gateway reads; each type has its own. */
export interface FleetRunEvent {
  readonly seq: number;
  readonly at: Date;
  readonly type: string;
  /** Of `text`: a piece of the message that the model writes now. */
  readonly text?: string;
  /** Of `message`: a whole message of the CLI. */
  readonly message?: unknown;
}

export type FleetQuestion = Approval & { readonly run: string; readonly tenant: string };
export type FleetQuestionRecord = ApprovalRecord & {
  readonly run: string;
  readonly tenant: string;
};

export type FleetQuestionChange = { readonly seq: number } & (
  | { readonly type: "asked"; readonly approval: FleetQuestion }
  | { readonly type: ApprovalOutcome; readonly id: string; readonly record: FleetQuestionRecord }
);

/** The questions of all runs. */
export interface FleetQuestions {
  pending(filter?: { readonly tenant?: string; readonly run?: string }): Promise<FleetQuestion[]>;
  answer(
    id: string,
    decision: ApprovalDecision,
    options?: { readonly by?: string },
  ): Promise<"counted" | "too_late">;
  /** The newest ones, the oldest of them first. */
  records(filter?: {
    readonly tenant?: string;
    readonly limit?: number;
  }): Promise<FleetQuestionRecord[]>;
  watch(options?: {
    readonly tenant?: string;
    readonly after?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<FleetQuestionChange>;
}

/** JSON values in the database. A value belongs to one tenant. */
export interface FleetDocuments {
  get(tenant: string, id: string): Promise<unknown>;
  put(
    tenant: string,
    id: string,
    value: unknown,
    options?: { readonly ttlMs?: number },
  ): Promise<void>;
  delete(tenant: string, id: string): Promise<boolean>;
}
