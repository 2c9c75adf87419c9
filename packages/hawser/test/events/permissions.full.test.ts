import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { text, toolUse } from "../../src/testing/index.js";
import { CLIS, clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";
import { eventsOf, type Seen, unpaired, watchEvents } from "./watched-events.helper.js";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** The events of a turn in which the model calls Bash. */
async function eventsWith(path: string, more: Options): Promise<Seen[]> {
  const { options } = await world(path, [toolUse("Bash", { command: "rm mast" }), text("Done.")]);
  const seen = watchEvents();
  await using session = await openSession({ ...options, logger: QUIET, ...more });
  await session.send("x").text();
  await session.close();
  expect(unpaired(seen)).toEqual([]);
  return seen;
}

function decisionsOf(seen: readonly Seen[]): unknown[] {
  return eventsOf(seen, "permissionDecided").map(({ by, decision }) => `${by}: ${decision}`);
}

describe.each(clisInTurn())("permissionDecided and toolEnd on CLI $name", ({ path }) => {
  it.each<[string, Options, readonly string[], string]>([
    [
      "canUseTool that allows",
      { canUseTool: async (_, updatedInput) => ({ behavior: "allow", updatedInput }) },
      ["callback: allow"],
      "error",
    ],
    [
      "canUseTool that throws",
      {
        canUseTool: async () => {
          throw new Error("No.");
        },
      },
      ["none: deny"],
      "denied",
    ],
    [
      "a hook that denies",
      {
        hooks: {
          PreToolUse: [
            {
              hooks: [
                async () => ({
                  hookSpecificOutput: {
                    hookEventName: "PreToolUse",
                    permissionDecision: "deny",
                    permissionDecisionReason: "No.",
                  },
                }),
              ],
            },
          ],
        },
      },
      ["hook: deny"],
      "denied",
    ],
    ["rules that deny", { rules: [{ tool: "Bash", decision: "deny" }] }, ["rule: deny"], "denied"],
    [
      "rules that ask canUseTool",
      {
        rules: [{ tool: "Bash", decision: "ask" }],
        canUseTool: async () => ({ behavior: "deny", message: "No." }),
      },
      ["rule: ask", "callback: deny"],
      "denied",
    ],
  ])("name %s", async (_, options, decisions, outcome) => {
    const seen = await eventsWith(path, options);
    expect(decisionsOf(seen)).toEqual(decisions);
    expect(eventsOf(seen, "toolEnd").map((event) => event["outcome"])).toEqual([outcome]);
  });
});

describe.each(CLIS)("permissionDecided and toolEnd on CLI $name", ({ path }) => {
  it("name a rule of the CLI that denies, if the CLI reports it", async () => {
    const seen = await eventsWith(path, { disallowedTools: ["Bash(rm:*)"] });
    const isReported = path === NEWEST_CLI;
    expect(decisionsOf(seen)).toEqual(isReported ? ["cli: deny"] : []);
    const outcomes = eventsOf(seen, "toolEnd").map((event) => event["outcome"]);
    expect(outcomes).toEqual([isReported ? "denied" : "error"]);
  });
});
