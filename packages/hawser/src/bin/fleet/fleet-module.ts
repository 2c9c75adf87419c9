import type { Options } from "../../options/index.js";
import type { Prompt } from "../../wire/index.js";
import { loadPackage } from "../command/load-package.js";
import type { FleetPlace } from "./fleet-flags.js";
import type { FleetShell } from "./fleet-shell.js";

/**
 * The part of `@hawser/fleet/command` that the commands use. hawser does not depend on that package, so the shapes
 * are written down here as well; a test of the fleet compares them.
 */
export interface FleetModule {
  submit(command: SubmitCommand, shell: FleetShell): Promise<number>;
  listRuns(command: ListRunsCommand, shell: FleetShell): Promise<number>;
  showRun(command: RunCommand, shell: FleetShell): Promise<number>;
  followRun(command: RunCommand & { readonly after?: number }, shell: FleetShell): Promise<number>;
  cancelRuns(
    command: RunsCommand & { readonly reason?: string },
    shell: FleetShell,
  ): Promise<number>;
  retryRuns(command: RunsCommand, shell: FleetShell): Promise<number>;
  listApprovals(command: ListApprovalsCommand, shell: FleetShell): Promise<number>;
  askApprovals(
    command: ListApprovalsCommand & { readonly isWatched: boolean; readonly by?: string },
    shell: FleetShell,
  ): Promise<number>;
  answerApproval(command: AnswerCommand, shell: FleetShell): Promise<number>;
  work(command: WorkCommand, shell: FleetShell): Promise<number>;
  showStatus(place: FleetPlace, shell: FleetShell): Promise<number>;
  migrate(place: FleetPlace, shell: FleetShell): Promise<number>;
  moveDatabase(command: MoveCommand, shell: FleetShell): Promise<number>;
  copyDatabase(
    command: { readonly place: FleetPlace; readonly to: FleetPlace["database"] },
    shell: FleetShell,
  ): Promise<number>;
  prune(
    command: { readonly place: FleetPlace; readonly olderThan: Date },
    shell: FleetShell,
  ): Promise<number>;
  setTenant(command: SetTenantCommand, shell: FleetShell): Promise<number>;
  showTenant(
    command: { readonly place: FleetPlace; readonly tenant: string },
    shell: FleetShell,
  ): Promise<number>;
  setAccount(command: SetAccountCommand, shell: FleetShell): Promise<number>;
}

export interface SubmitCommand {
  readonly place: FleetPlace;
  readonly prompt: Prompt;
  /** The options of `fleet.submit()`. */
  readonly options: SubmitOptions;
  readonly isFollowed: boolean;
  /** Where a worker of this command works, if it needs one. */
  readonly cwd?: string;
}

/** The options of `fleet.submit()` that flags can set. */
export interface SubmitOptions
  extends Pick<
    Options,
    "model" | "systemPrompt" | "maxTurns" | "effort" | "allowedTools" | "disallowedTools"
  > {
  readonly tenant?: string;
  readonly profile?: string;
  readonly queue?: string;
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
  readonly schema?: Readonly<Record<string, unknown>>;
}

export type RunState = "queued" | "held" | "running" | "waiting" | "done" | "failed" | "cancelled";

export interface ListRunsCommand {
  readonly place: FleetPlace;
  readonly tenant?: string;
  readonly state?: readonly RunState[];
  readonly session?: string;
  readonly limit: number;
}

/** A run is named by its id, or by the first characters of it. */
export interface RunCommand {
  readonly place: FleetPlace;
  readonly run: string;
}

export interface RunsCommand {
  readonly place: FleetPlace;
  readonly runs: readonly string[];
}

export interface ListApprovalsCommand {
  readonly place: FleetPlace;
  readonly tenant?: string;
  readonly run?: string;
}

export interface AnswerCommand {
  readonly place: FleetPlace;
  /** The id of the question, or the first characters of it. */
  readonly approval: string;
  /** Without a decision, the question is asked on the terminal, or shown. */
  readonly decision?: GivenDecision;
  readonly by?: string;
}

/** A decision before the kind of its question is known. */
export type GivenDecision =
  | { readonly type: "allow"; readonly scope: "once" | "session" }
  | { readonly type: "deny"; readonly message: string }
  | { readonly type: "answer"; readonly fields: Readonly<Record<string, unknown>> };

export interface WorkCommand {
  readonly place: FleetPlace;
  /** The path of the module with the profiles. */
  readonly profiles?: string;
  readonly slots?: number;
  readonly labels?: readonly string[];
  readonly name?: string;
  readonly holdMs?: number;
  readonly approvalTimeoutMs?: number;
  readonly drainMs?: number;
  readonly cwd?: string;
}

export interface MoveCommand {
  readonly place: FleetPlace;
  /** The folder with the programs of the Postgres that made the data. */
  readonly from?: string;
  /** The folder with the programs of the Postgres that shall have it. */
  readonly to?: string;
}

export interface SetTenantCommand {
  readonly place: FleetPlace;
  readonly tenant: string;
  readonly limits: {
    concurrency?: number | null;
    weight?: number;
    budgetUsd?: { day?: number | null; month?: number | null; total?: number | null };
    onBudget?: "refuse" | "wait";
    paused?: boolean;
    account?: string;
  };
}

export interface SetAccountCommand {
  readonly place: FleetPlace;
  readonly account: string;
  readonly limits: { concurrency?: number | null; pausedUntil?: Date | null };
}

/** Loads the package for a command such as `hawser submit`. */
export function loadFleet(command: string): Promise<FleetModule> {
  return loadPackage<FleetModule>({
    specifier: "@hawser/fleet/command",
    command,
    leastNode: [22, 12],
  });
}
