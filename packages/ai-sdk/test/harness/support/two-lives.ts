// A program with an agent that asks before it edits. In its first life it suspends a turn that waits, and prints the
// state. In its second life it continues the turn by this state. What it prints is one line of JSON.
import { readFileSync } from "node:fs";
import { HarnessAgent } from "@ai-sdk/harness/agent";
import { tool } from "ai";
import { type Options, processes } from "hawser";
import { z } from "zod";
import { hawserHarness, localWorkspace } from "../../../src/harness/index.js";

export interface Life {
  readonly cli: Pick<Options, "cliPath" | "env" | "inheritEnv">;
  readonly folder: string;
  /** The state of the first life, and what the second life answers. */
  readonly suspended?: { readonly sessionId: string; readonly state: unknown };
  readonly approved?: boolean;
  readonly picked?: string;
}

const life = JSON.parse(readFileSync(0, "utf8")) as Life;
// The AI SDK of the harness is another copy, with types of its own.
const pick = tool({ inputSchema: z.object({ what: z.string() }) }) as never;
const agent = new HarnessAgent({
  harness: hawserHarness({ ...life.cli, model: "sonnet" }),
  ...localWorkspace(life.folder),
  permissionMode: "allow-reads",
  instructions: "You tie knots.",
  tools: { pick },
});

if (life.suspended === undefined) await firstLife();
else await secondLife(life.suspended.sessionId, life.suspended.state as never);

async function firstLife(): Promise<void> {
  const session = await agent.createSession();
  const { content, toolCalls } = await agent.generate({ session, prompt: "Go." });
  const pids = processes().map(({ pid }) => pid);
  const { sessionId } = session;
  const state = await session.suspendTurn();
  print({ sessionId, state, pids, types: content.map(({ type }) => type), toolCalls });
  process.exit(0);
}

async function secondLife(sessionId: string, continueFrom: never): Promise<void> {
  const session = await agent.createSession({ sessionId, continueFrom });
  const { pendingToolApprovals = [], pendingToolResults = [] } = continueFrom as Pending;
  const result = await agent.continueStream({
    session,
    toolApprovalContinuations: pendingToolApprovals.map(({ approvalId }) => ({
      type: "tool-approval-response",
      approvalId,
      approved: life.approved ?? false,
      ...(life.approved === true ? {} : { reason: "Not today." }),
    })),
    toolResultContinuations: pendingToolResults.map(({ toolCallId, toolName }) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "text", value: life.picked ?? "" },
    })),
  });
  const types: string[] = [];
  for await (const part of result.fullStream) types.push(part.type);
  const text = await result.text;
  const isResume = session.isResume;
  await session.destroy();
  print({ text, types, isResume, left: processes().length });
}

interface Pending {
  readonly pendingToolApprovals?: readonly { readonly approvalId: string }[];
  readonly pendingToolResults?: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
  }[];
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
