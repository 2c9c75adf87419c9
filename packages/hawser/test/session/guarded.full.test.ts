import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Hooks, Options } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always, reply, text, toolUse } from "../../src/testing/index.js";
import { clisInTurn, OLDER_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { world } from "../support/world.js";

const touch = toolUse("Bash", { command: "touch forbidden", description: "d" });

const GUARD: Hooks = {
  PreToolUse: [
    {
      matcher: "Bash",
      hooks: [
        ({ tool_input }) => {
          const { command } = tool_input as { command: string };
          const permissionDecision = command.startsWith("touch") ? "deny" : "allow";
          return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } };
        },
      ],
    },
  ],
};

it("a sandbox that the older CLI drops with a bad setting never gets a prompt", async () => {
  const place = await world(OLDER_CLI, []);
  const options = { sandbox: { enabled: true }, settings: { cleanupPeriodDays: "never" } };
  await expect(openSession({ ...place.options, ...options })).rejects.toMatchObject({
    code: "protocol_error",
    message: "The sandbox did not reach the CLI, so no prompt was sent.",
  });
});

describe.each(clisInTurn())("on $name", ({ path }) => {
  it.each<[string, Options]>([
    ["a hook", { hooks: GUARD }],
    [
      "a rule",
      {
        rules: [
          { tool: "Bash", input: { command: "touch*" }, decision: "deny" },
          { tool: "*", decision: "allow" },
        ],
      },
    ],
  ])("%s guards on when a message was lost in mid-turn", async (_, guard) => {
    const { session, made } = await open(
      path,
      [
        reply([text("x".repeat(120_000)), toolUse("Bash", { command: "true", description: "d" })]),
        touch,
        always("ok"),
      ],
      { ...guard, allowedTools: ["Bash"], maxLineBytes: 100_000 },
    );
    await session.send("go").result.catch(() => {});
    await session.close();
    expect(made("forbidden")).toBe(false);
  });

  it("a hook guards a background agent up to the end of close()", async () => {
    let calls = 0;
    const { session, model, made } = await open(
      path,
      ({ prompt, body }) => {
        const messages = JSON.stringify(body);
        if (!prompt.includes("SUBWORK") && messages.includes("MAIN")) {
          calls += 1;
          return calls === 1
            ? toolUse("Agent", {
                description: "d",
                prompt: "SUBWORK",
                subagent_type: "general-purpose",
                run_in_background: true,
              })
            : text("started");
        }
        return reply(touch, { delayMs: 300 });
      },
      { hooks: GUARD, allowedTools: ["Bash", "Agent", "Task"] },
    );
    await session.send("MAIN").result;
    await model.waitFor(({ prompt }) => prompt.includes("SUBWORK"));
    await session.close();
    expect(made("forbidden")).toBe(false);
  });

  it("deny rules of the user's own do not stand in for ours that did not arrive", async () => {
    const place = await world(path, []);
    const theirs = { permissions: { deny: ["WebFetch", "WebSearch"] } };
    writeFileSync(join(place.configDir, "settings.json"), JSON.stringify(theirs));
    const settings = { permissions: { deny: ["Bash(touch *)"] }, cleanupPeriodDays: "never" };
    await expect(openSession({ ...place.options, settings })).rejects.toMatchObject({
      code: "protocol_error",
      message: "Only 0 of 1 deny rules reached the CLI, so no prompt was sent.",
      issues: [{ path: "cleanupPeriodDays" }],
    });
    expect(place.model.requests.filter(({ kind }) => kind === "call")).toEqual([]);
  });
});
