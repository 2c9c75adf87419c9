import { HarnessAgent, type HarnessAgentSession } from "@ai-sdk/harness/agent";
import { processes } from "hawser";
import { afterEach, expect, vi } from "vitest";
import {
  type HawserHarnessOptions,
  hawserHarness,
  localWorkspace,
} from "../../../src/harness/index.js";
import { type AiWorld, aiWorld } from "../../support/ai-world.js";

// biome-ignore lint/suspicious/noExplicitAny: the agents of the tests have different tools and outputs.
export type AnyAgent = HarnessAgent<any, any, any, any, never>;

export interface HarnessWorld {
  readonly ai: AiWorld;
  /** An agent on the real CLI that works in the folder of this world. */
  agent(settings?: object, options?: HawserHarnessOptions): AnyAgent;
  /** A session that is destroyed after the test. */
  session(agent: AnyAgent, options?: object): Promise<HarnessAgentSession>;
}

/** One simulated model for all tests of a file. After each test, no process of the CLI may be left. */
export function harnessWorld(): HarnessWorld {
  const ai = aiWorld();
  const sessions: HarnessAgentSession[] = [];
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.destroy();
    await nothingRuns();
  });
  return {
    ai,
    agent(settings, options) {
      const { cwd, ...cli } = ai.cliOptions;
      return new HarnessAgent({
        harness: hawserHarness({ ...cli, model: "sonnet", ...options }),
        ...localWorkspace(cwd ?? ""),
        ...settings,
      });
    },
    async session(agent, options = {}) {
      const session = await agent.createSession(options);
      sessions.push(session);
      return session;
    },
  };
}

/** Resolves when this program has no process of the CLI. */
export async function nothingRuns(): Promise<void> {
  await vi.waitFor(() => expect(processes()).toEqual([]), { timeout: 20_000, interval: 20 });
}

/** The answer to an approval request, as a message of a client. */
export function approvalResponse(request: unknown, approved: boolean, reason?: string) {
  const { approvalId } = request as { approvalId: string };
  return {
    type: "tool-approval-response" as const,
    approvalId,
    approved,
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The first approval request of a result. */
export function requestIn({ content }: { readonly content: readonly { type: string }[] }): {
  readonly approvalId: string;
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string };
} {
  const request = content.find(({ type }) => type === "tool-approval-request");
  if (request === undefined) throw new Error("The result has no approval request.");
  return request as never;
}
