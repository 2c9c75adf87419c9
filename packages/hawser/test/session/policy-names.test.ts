import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toolUse } from "../../src/testing/index.js";
import { CLIS, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";

const agent = { description: "d", prompt: "work", subagent_type: "general-purpose" };

it.each(
  CLIS.flatMap(({ name, path }) => [
    { name, path, rule: "Task", called: "Agent" },
    { name, path, rule: "Agent", called: "Task" },
    { name, path, rule: "Agent", called: "Agent" },
  ]),
)("a rule for $rule denies a call of $called, on $name", async ({ path, rule, called }) => {
  const { session, model } = await open(path, [toolUse(called, agent), "done"], {
    rules: [
      { tool: rule, decision: "deny" },
      { tool: "*", decision: "allow" },
    ],
  });
  await session.send("go").text();
  expect(model.calls.map(({ prompt }) => prompt)).not.toContain("work");
  expect(model.calls.at(-1)?.toolResults).toMatchObject([
    { text: expect.stringContaining(`Rule 1 (deny ${rule}) decides.`) },
  ]);
});

it.each([
  { says: "deny", input: { command: "rm *" } },
  { says: "deny", input: undefined },
  { says: "ask", input: undefined },
] as const)(
  "a rule that says $says about Bash ($input) covers Monitor",
  async ({ says, input }) => {
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
  },
);
