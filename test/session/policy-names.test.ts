import { expect, it } from "vitest";
import { toolUse } from "../../src/testing/index.js";
import { CLIS } from "../support/cli.js";
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
