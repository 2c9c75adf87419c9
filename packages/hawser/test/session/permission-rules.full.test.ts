import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../../src/session/index.js";
import { fakeCli, type ReplyScript, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { everyProcess } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";

const touch = toolUse("Bash", { command: "touch a", description: "d" });

describe("deny rules in a settings file", () => {
  const disallowedTools = Array.from({ length: 600 }, (_, i) => `Bash(command-${i} *)`);

  it("make openSession() reject before any prompt if they do not reach the CLI", async () => {
    const cli = await fakeCli({
      steps: [
        {
          on: "control",
          subtype: "get_settings",
          do: [
            {
              respond: {
                sources: [
                  {
                    source: "flagSettings",
                    settings: { permissions: { deny: ["Bash(command-0 *)"] } },
                  },
                ],
              },
            },
          ],
        },
      ],
    });
    onTestFinished(() => cli.dispose());
    await expect(openSession({ cliPath: cli.path, disallowedTools })).rejects.toMatchObject({
      code: "protocol_error",
      message: "Only 1 of 600 deny rules reached the CLI, so no prompt was sent.",
    });
    const started = (await cli.recorded()).filter(({ lines }) => lines.length > 0);
    expect(started).toHaveLength(1);
    expect(started.flatMap(({ lines }) => lines.map((line) => JSON.parse(line).type))).toEqual([
      "control_request",
      "control_request",
    ]);
    const pids = started.map(({ pid }) => pid);
    expect(everyProcess().filter(({ pid }) => pids.includes(pid))).toEqual([]);
  });

  it.each(clisInTurn())("reach the real CLI $name and are obeyed", async ({ path }) => {
    const { session, cwd } = await open(path, [touch, "done"], {
      allowedTools: ["Bash"],
      disallowedTools: [...disallowedTools, "Bash(touch *)"],
      canUseTool: () => ({ behavior: "allow" }),
    });
    expect(await session.send("go").text()).toBe("done");
    expect(existsSync(join(cwd, "a"))).toBe(false);
  });
});

it("rules send their decision and its reason to the log and the model", async () => {
  const { logger, entries } = recordingLogger();
  const { session, model } = await open(NEWEST_CLI, [touch, "done"], {
    logger,
    allowedTools: ["Bash"],
    rules: [{ tool: "Bash", input: { command: "touch *" }, decision: "deny" }],
  });
  await session.send("go").text();
  const reason = 'Rule 1 (deny Bash {"command":"touch *"}) decides.';
  expect(entries.filter(({ message }) => message === "the policy decided")).toEqual([
    {
      level: "debug",
      message: "the policy decided",
      fields: { tool: "Bash", decision: "deny", reason },
    },
  ]);
  expect(model.calls[1]?.toolResults[0]?.text).toContain(reason);
});

it.each(clisInTurn())("rules decide the calls of sub-agents too, on $name", async ({ path }) => {
  const look = { description: "look", prompt: "look around", subagent_type: "general-purpose" };
  const replies: ReplyScript = ({ prompt, toolResults }) => {
    if (prompt.includes("look around")) return touch;
    if (toolResults.length > 0) return "done";
    return toolUse("Agent", { ...look, run_in_background: false });
  };
  const { session, cwd, model } = await open(path, replies, {
    permissionMode: "acceptEdits",
    rules: [
      { tool: "Agent", decision: "allow" },
      { tool: "Bash", decision: "deny" },
    ],
  });
  expect(await session.send("go").text()).toBe("done");
  const refusals = model.calls.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
  expect(refusals[0]).toContain("Rule 2 (deny Bash) decides.");
  expect(existsSync(join(cwd, "a"))).toBe(false);
});
