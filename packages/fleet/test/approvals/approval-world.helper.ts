import { randomUUID } from "node:crypto";
import { type Approval, describeCall, describeElicitation } from "hawser";
import pg from "pg";
import { createApprovalDesk } from "../../src/approvals/create-approval-desk.js";
import { createFleetApprovals } from "../../src/approvals/create-fleet-approvals.js";
import type { ApprovalDesk, FleetApprovals } from "../../src/approvals/fleet-approvals.js";
import type { Claim } from "../../src/runs/claims.js";
import type { RunEvent } from "../../src/runs/run.js";
import {
  createRunWorld,
  doneWith,
  type RunProgram,
  type RunWorld,
  silence,
} from "../support/run-world.js";

/** One program that has opened the fleet, with connections of its own. */
export interface Program extends RunProgram {
  readonly approvals: FleetApprovals;
  readonly desk: ApprovalDesk;
}

/** A database with programs that ask and answer. Runs are claimed and settled by hand. */
export class ApprovalWorld implements AsyncDisposable {
  readonly #world: RunWorld;

  private constructor(world: RunWorld) {
    this.#world = world;
  }

  static async create(): Promise<ApprovalWorld> {
    return new ApprovalWorld(await createRunWorld());
  }

  get url(): string {
    return this.#world.url;
  }

  /** Another program, whose database is reached by another URL if one is given. */
  async program(url?: string): Promise<Program> {
    const program = await this.#world.open(url);
    const { parts } = program;
    return {
      ...program,
      approvals: createFleetApprovals(parts),
      desk: createApprovalDesk(parts),
    };
  }

  /** A run that a host works on: a new one, or the next one of a session. Its queue is its own. */
  async claim(
    program: Program,
    { tenant = "ada", session }: { readonly tenant?: string; readonly session?: string } = {},
  ): Promise<Claim> {
    const queue = randomUUID();
    await program.submit({ tenant, queue, ...(session === undefined ? {} : { session }) });
    return this.#claimIn(program, queue);
  }

  /** The run waits for the answer without a process. */
  async park({ claims }: Program, claim: Claim, approval: string): Promise<void> {
    await claims.settle(claim, {
      type: "parked",
      approval,
      costUsd: 0.01,
      usage: undefined,
      workedMs: 1,
    });
  }

  async settle({ claims }: Program, claim: Claim): Promise<void> {
    await claims.settle(claim, doneWith("Done."));
  }

  /** Another host takes the run over, after its host was silent for too long. */
  async takeOver(program: Program, claim: Claim): Promise<Claim> {
    await silence(program, claim);
    return this.#claimIn(program, claim.run.queue);
  }

  async #claimIn({ claims }: Program, queue: string): Promise<Claim> {
    const claim = await claims.claim({ host: "host-a", queues: [queue] });
    if (claim === undefined) throw new Error("There is nothing to claim.");
    return claim;
  }

  /** The events about questions. */
  async questionEvents(program: Program, run: string): Promise<RunEvent[]> {
    const { schema } = program.database;
    const rows = await program.rows<{ seq: string; type: string; data: string; at: Date }>(
      `select seq, type, data, at from ${schema}.event where run_id = $1 and type in ('asked', 'answered') order by seq`,
      [run],
    );
    return rows.map(
      ({ seq, type, data, at }) =>
        ({ seq: Number(seq), at, type, ...JSON.parse(data) }) as RunEvent,
    );
  }

  async eventTypes(program: Program, run: string): Promise<string[]> {
    return (await this.questionEvents(program, run)).map(({ type }) => type);
  }

  /** Ends every connection to the database from the side of the server. */
  async cutConnections(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#world.url });
    await client.connect();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await client.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }
}

/** A question about a tool call, as `canUseTool` makes it. */
export function toolQuestion(
  claim: Claim,
  {
    tool = "Bash",
    input = { command: "git push" } as Record<string, unknown>,
    toolUseId = `toolu_${randomUUID()}`,
    reasonType = "hook",
  } = {},
): Approval {
  const context = {
    signal: new AbortController().signal,
    toolUseID: toolUseId,
    requestId: toolUseId,
    sessionId: claim.run.sessionId,
    decisionReasonType: reasonType,
    suggestions: [],
  };
  return describeCall(tool, input, context, frame());
}

/** A question of an MCP server. */
export function elicitation(claim: Claim, message: string): Approval {
  const request = { serverName: "forms", message, mode: "form" as const };
  const context = { sessionId: claim.run.sessionId, signal: new AbortController().signal };
  return describeElicitation(request as never, context as never, frame());
}

function frame(): { id: string; askedAt: string } {
  return { id: "of-the-worker", askedAt: new Date(0).toISOString() };
}
