import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";

const agent = { description: "d", prompt: "work", subagent_type: "general-purpose" };

describe.each(clisInTurn())("rules on $name", ({ path }) => {
  // The names of one tool in different versions of the CLI.
  it.each([
    { rule: "Task", calls: ["Agent"] },
    { rule: "Agent", calls: ["Task", "Agent"] },
  ])("deny calls of $calls by a rule for $rule", async ({ rule, calls }) => {
    const uses = calls.map((name) => toolUse(name, agent));
    const { session, model } = await open(path, [uses, "done"], {
      rules: [
        { tool: rule, decision: "deny" },
        { tool: "*", decision: "allow" },
      ],
    });
    await session.send("go").text();
    expect(model.calls.map(({ prompt }) => prompt)).not.toContain("work");
    const denied = { text: expect.stringContaining(`Rule 1 (deny ${rule}) decides.`) };
    expect(model.calls.at(-1)?.toolResults).toMatchObject(calls.map(() => denied));
  });
});

it.each([
  { says: "deny", input: { command: "rm *" } },
  // policy.test.ts has these cases without a CLI.
  ...(FULL ? [{ says: "deny", input: undefined } as const] : []),
  { says: "ask", input: undefined },
] as const)("a $says rule for Bash ($input) covers Monitor", async ({ says, input }) => {
  const call = { command: "rm -r notes", description: "d", timeout_ms: 5000 };
  const asked: string[] = [];
  const { session, model, made } = await open(
    NEWEST_CLI,
    [toolUse("Monitor", call), "done"],
    (cwd) => {
      mkdirSync(join(cwd, "notes"));
      return {
        rules: [
          { tool: "Bash", decision: says, ...(input && { input }) },
          { tool: "*", decision: "allow" },
        ],
        canUseTool: (tool) => {
          asked.push(tool);
          return { behavior: "deny", message: "no" };
        },
      };
    },
  );
  await session.send("go").text();
  expect(model.calls.at(-1)?.toolResults).toMatchObject([{ isError: true }]);
  expect(asked).toEqual(says === "ask" ? ["Monitor"] : []);
  expect(made("notes")).toBe(true);
});
