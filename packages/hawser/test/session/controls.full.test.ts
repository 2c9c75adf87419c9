import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { always, text, toolUse } from "../../src/testing/index.js";
import { isSystem } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { type Seen, stillAlive, treeOf, until } from "../support/proc.js";
import { type SharedSession, sharedSession } from "./shared-session.helper.js";

/** A model that both CLIs know and that is the default of neither. */
const OTHER_MODEL = "claude-haiku-4-5-20251001";

/** Waits for a command that never ends by itself. */
function tails({ session: { pid = 0 } }: SharedSession): Promise<Seen[]> {
  return until(() => {
    const found = treeOf(pid).filter(({ command }) => command === "tail -f /dev/null");
    return found.length > 0 && found;
  });
}

/** The id of the newest task. */
function newestTask(shared: SharedSession): string {
  const started = shared.watch().filter((message) => isSystem(message, "task_started"));
  return started.at(-1)?.task_id ?? "";
}

function thinkingAt({ calls }: SharedSession): unknown {
  return (calls.at(-1)?.body as { thinking?: object } | undefined)?.thinking;
}

describe.each(clisInTurn())("Session between turns on $name", ({ path }) => {
  const shared = sharedSession(path, { enableFileCheckpointing: true });

  it("changes the model and its thinking by setModel() and setMaxThinkingTokens()", async () => {
    const { session } = shared;
    shared.script(always("ok"));
    const [own] = await session.supportedModels();
    await session.send("1").text();
    const asked = shared.calls.at(-1)?.model;
    expect(own?.resolvedModel?.replace("[1m]", "")).toBe(asked);

    await session.setModel(OTHER_MODEL);
    await session.setMaxThinkingTokens(2000);
    await session.send("2").text();
    expect(shared.calls.at(-1)?.model).toBe(OTHER_MODEL);
    expect(thinkingAt(shared)).toMatchObject({ type: "enabled", budget_tokens: 2000 });

    await session.setMaxThinkingTokens(0);
    await session.send("3").text();
    expect(thinkingAt(shared)).toEqual({ type: "disabled" });

    await session.setModel();
    await session.setMaxThinkingTokens(null);
    await session.send("4").text();
    expect(shared.calls.at(-1)?.model).toBe(asked);
  });

  it("changes the permission mode by setPermissionMode()", async () => {
    const write = (name: string) => [
      toolUse("Write", { file_path: name, content: "new" }),
      text("done"),
    ];
    const { session, cwd } = shared;
    shared.script(...write("a.txt"), ...write("b.txt"), ...write("c.txt"));
    const outcomes: unknown[] = [];
    const turn = async (name: string) => {
      await session.send("write").text();
      outcomes.push([shared.calls.at(-1)?.toolResults[0]?.isError, existsSync(join(cwd, name))]);
    };
    await turn("a.txt");
    await session.setPermissionMode("acceptEdits");
    await turn("b.txt");
    await session.setPermissionMode("default");
    await turn("c.txt");
    expect(outcomes).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  it("adds and removes settings by applyFlagSettings()", async () => {
    const { session } = shared;
    shared.script(always("ok"));
    const ask = async () => {
      await session.send("?").text();
      return shared.calls.at(-1)?.model;
    };
    const own = await ask();
    await session.applyFlagSettings({ model: OTHER_MODEL });
    expect(await ask()).toBe(OTHER_MODEL);
    await session.applyFlagSettings({ model: null });
    expect(await ask()).toBe(own);
  });

  it("restores the files of the moment before a prompt by rewindFiles()", async () => {
    const { session, cwd } = shared;
    shared.script(
      toolUse("Write", { file_path: "new.txt", content: "new" }),
      text("one"),
      toolUse("Write", { file_path: "new.txt", content: "newer" }),
      text("two"),
    );
    await session.setPermissionMode("acceptEdits");
    const file = join(cwd, "new.txt");
    const first = session.send("one");
    await first.result;
    const second = session.send("two");
    await second.result;
    expect(readFileSync(file, "utf8")).toBe("newer");
    expect(await session.rewindFiles(second.uuid, { dryRun: true })).toMatchObject({
      canRewind: true,
      filesChanged: [file],
      insertions: 1,
      deletions: 1,
    });
    expect(readFileSync(file, "utf8")).toBe("newer");
    expect(await session.rewindFiles(second.uuid)).toMatchObject({ canRewind: true });
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(await session.rewindFiles(first.uuid)).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(false);
    await expect(session.rewindFiles(crypto.randomUUID())).rejects.toMatchObject({
      code: "control_error",
      message: expect.stringContaining("No file checkpoint found"),
    });
    await session.setPermissionMode("default");
  });
});

describe.each(clisInTurn())("Session requests to the CLI $name", ({ path }) => {
  const shared = sharedSession(path, { allowedTools: ["Bash"] });

  it("return models, commands, agents, account, context usage, files and cost", async () => {
    const { session, cwd } = shared;
    shared.script(always("ok"));
    await session.send("hi").text();

    expect((await session.supportedModels()).map(({ value }) => value)).toContain("default");
    expect((await session.supportedCommands()).map(({ name }) => name)).toContain("clear");
    expect((await session.supportedAgents()).map(({ name }) => name)).toContain("Explore");
    expect(await session.accountInfo()).toMatchObject({ apiKeySource: "ANTHROPIC_API_KEY" });
    expect(session.info.models).toEqual(await session.supportedModels());

    const usage = await session.getContextUsage();
    expect(usage.totalTokens).toBeGreaterThan(0);
    expect(usage.maxTokens).toBeGreaterThanOrEqual(200_000);
    expect(usage.categories.map(({ name }) => name)).toContain("System prompt");

    writeFileSync(join(cwd, "there.txt"), "content");
    expect(await session.readFile("there.txt")).toMatchObject({ contents: "content" });
    expect(await session.readFile("missing.txt")).toBeNull();

    expect(await session.request("get_session_cost")).toMatchObject({
      // "Total cost" before 2.1.326, "Estimated cost" since.
      text: expect.stringMatching(/^(Total|Estimated) cost: +\$0\.0/),
    });
    expect(await session.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()).toMatchObject(
      { session: { total_cost_usd: expect.any(Number) } },
    );
    expect((await session.reloadSkills())?.["skills"]).toBeInstanceOf(Array);
  });

  it("reject with unsupported_by_cli when the CLI does not know the request", async () => {
    const { session } = shared;
    shared.script(always("ok"));
    const refusal = { code: "unsupported_by_cli", sessionId: session.id };
    const limit = { timeoutMs: 5_000 };
    await expect(session.request("no_such_thing", {}, limit)).rejects.toMatchObject(refusal);
    if (path === NEWEST_CLI) {
      expect(await session.request("list_models", {}, limit)).toMatchObject({
        models: expect.any(Array),
      });
      expect(await session.reloadOutputStyles()).toMatchObject({
        available_output_styles: expect.arrayContaining(["default"]),
      });
    } else {
      for (const subtype of ["list_models", "list_permission_rules", "get_task_output"]) {
        await expect(session.request(subtype, {}, limit)).rejects.toMatchObject(refusal);
      }
      await expect(session.reloadOutputStyles()).rejects.toMatchObject(refusal);
    }
    expect(await session.send("still there?").text()).toBe("ok");
  });

  it("reject with invalid_options before the CLI gets a bad value", async () => {
    const { session } = shared;
    shared.script(always("ok"));
    const refusal = { code: "invalid_options" };
    await expect(session.setModel(5 as never)).rejects.toMatchObject(refusal);
    await expect(session.setModel(null as never)).rejects.toMatchObject(refusal);
    await expect(session.setPermissionMode("nonsense" as never)).rejects.toMatchObject(refusal);
    await expect(session.setMaxThinkingTokens(-1)).rejects.toMatchObject(refusal);
    await expect(session.setPermissionMode("bypassPermissions")).rejects.toMatchObject({
      code: "control_error",
      message: expect.stringContaining("bypassPermissions"),
    });
    expect(await session.send("still there?").text()).toBe("ok");
  });

  it("stop a background task by stopTask()", async () => {
    const { session } = shared;
    shared.script(
      toolUse("Bash", { command: "tail -f /dev/null", run_in_background: true }),
      text("started"),
      always("stopped"),
    );
    shared.watch();
    expect(await session.send("go").text()).toBe("started");
    const running = await tails(shared);
    await session.stopTask(newestTask(shared));
    await until(() => stillAlive(running).length === 0);
    await session.idle();
  });

  it("move a running command to the background by backgroundTasks()", async () => {
    const { session } = shared;
    shared.script(
      toolUse("Bash", { command: "tail -f /dev/null" }),
      text("moved"),
      always("stopped"),
    );
    shared.watch();
    const turn = session.send("go");
    const running = await tails(shared);
    // The CLI treats a command as a foreground task only after a while.
    await until(async () => {
      await session.backgroundTasks();
      return shared.calls.length > 1;
    });
    expect(await turn.text()).toBe("moved");
    expect(shared.calls[1]?.toolResults[0]?.text).toContain("backgrounded by user");
    expect(stillAlive(running)).toEqual(running);
    await session.stopTask(newestTask(shared));
    await until(() => stillAlive(running).length === 0);
    await session.idle();
  });
});
