import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../src/session/index.js";
import { always, text, toolUse } from "../../src/testing/index.js";
import { isSystem, type SystemTaskStarted } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { type Seen, stillAlive, treeOf, until } from "../support/proc.js";
import type { World } from "../support/world.js";

/** One that is known to both versions, and that neither takes by itself. */
const OTHER_MODEL = "claude-haiku-4-5-20251001";

/** The command that never ends by itself, once it runs. */
function tails({ pid = 0 }: Session): Promise<Seen[]> {
  return until(() => {
    const found = treeOf(pid).filter(({ command }) => command === "tail -f /dev/null");
    return found.length > 0 && found;
  });
}

/** The tasks that begin, as they come. */
function tasks(session: Session): SystemTaskStarted[] {
  const started: SystemTaskStarted[] = [];
  void (async () => {
    for await (const message of session) {
      if (isSystem(message, "task_started")) started.push(message);
    }
  })();
  return started;
}

function thinkingAt({ model }: World): unknown {
  return (model.calls.at(-1)?.body as { thinking?: object } | undefined)?.thinking;
}

describe.each(clisInTurn())("between the turns of a session on $name", ({ path }) => {
  it("the model and its thinking change, as the model sees", async () => {
    const place = await open(path, always("ok"));
    const { session, model } = place;
    const [own] = await session.supportedModels();
    await session.send("1").text();
    const asked = model.calls.at(-1)?.model;
    expect(own?.resolvedModel?.replace("[1m]", "")).toBe(asked);

    await session.setModel(OTHER_MODEL);
    await session.setMaxThinkingTokens(2000);
    await session.send("2").text();
    expect(model.calls.at(-1)?.model).toBe(OTHER_MODEL);
    expect(thinkingAt(place)).toMatchObject({ type: "enabled", budget_tokens: 2000 });

    await session.setMaxThinkingTokens(0);
    await session.send("3").text();
    expect(thinkingAt(place)).toEqual({ type: "disabled" });

    await session.setModel();
    await session.setMaxThinkingTokens(null);
    await session.send("4").text();
    expect(model.calls.at(-1)?.model).toBe(asked);
  });

  it("the permission mode changes, as a tool's result says", async () => {
    const write = (name: string) => [
      toolUse("Write", { file_path: name, content: "new" }),
      text("done"),
    ];
    const { session, model, cwd } = await open(path, [
      ...write("a.txt"),
      ...write("b.txt"),
      ...write("c.txt"),
    ]);
    const outcomes: unknown[] = [];
    const turn = async (name: string) => {
      await session.send("write").text();
      outcomes.push([model.calls.at(-1)?.toolResults[0]?.isError, existsSync(join(cwd, name))]);
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

  it("settings are laid over, and taken off again", async () => {
    const { session, model } = await open(path, always("ok"));
    const ask = async () => {
      await session.send("?").text();
      return model.calls.at(-1)?.model;
    };
    const own = await ask();
    await session.applyFlagSettings({ model: OTHER_MODEL });
    expect(await ask()).toBe(OTHER_MODEL);
    await session.applyFlagSettings({ model: null });
    expect(await ask()).toBe(own);
  });

  it("files go back to where they were before a prompt", async () => {
    const { session, cwd } = await open(
      path,
      [
        toolUse("Write", { file_path: "new.txt", content: "new" }),
        text("one"),
        toolUse("Write", { file_path: "new.txt", content: "newer" }),
        text("two"),
      ],
      { enableFileCheckpointing: true, permissionMode: "acceptEdits" },
    );
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
  });
});

describe.each(clisInTurn())("asked by a session, the CLI $name", ({ path }) => {
  it("tells of itself, its context, its files and its cost", async () => {
    const { session, cwd } = await open(path, always("ok"));
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
      text: expect.stringContaining("Total cost"),
    });
    expect(await session.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()).toMatchObject(
      { session: { total_cost_usd: expect.any(Number) } },
    );
    expect((await session.reloadSkills())?.["skills"]).toBeInstanceOf(Array);
  });

  it("refuses what it does not know at once, by a typed error", async () => {
    const { session } = await open(path, always("ok"));
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

  it("is never asked what it could not answer", async () => {
    const { session } = await open(path, always("ok"));
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

  it("stops a task that runs in the background", async () => {
    const { session } = await open(
      path,
      [
        toolUse("Bash", { command: "tail -f /dev/null", run_in_background: true }),
        text("started"),
        always("stopped"),
      ],
      { allowedTools: ["Bash"] },
    );
    const started = tasks(session);
    expect(await session.send("go").text()).toBe("started");
    const running = await tails(session);
    await session.stopTask(started[0]?.task_id ?? "");
    await until(() => stillAlive(running).length === 0);
  });

  it("moves a running command to the background", async () => {
    const { session, model } = await open(
      path,
      [toolUse("Bash", { command: "tail -f /dev/null" }), text("moved"), always("stopped")],
      { allowedTools: ["Bash"] },
    );
    const started = tasks(session);
    const turn = session.send("go");
    const running = await tails(session);
    // A command counts as a task of the foreground only after a while.
    await until(async () => {
      await session.backgroundTasks();
      return model.calls.length > 1;
    });
    expect(await turn.text()).toBe("moved");
    expect(model.calls[1]?.toolResults[0]?.text).toContain("backgrounded by user");
    expect(stillAlive(running)).toEqual(running);
    await session.stopTask(started[0]?.task_id ?? "");
    await until(() => stillAlive(running).length === 0);
  });
});
