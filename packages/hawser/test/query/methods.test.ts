import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createSdkMcpServer,
  isHawserError,
  type Options,
  type Query,
  type SDKMessage,
  tool,
} from "../../src/index.js";
import { always, type ReplyScript, text, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { stillAlive, until } from "../support/proc.js";
import type { World } from "../support/world.js";
import { clisOf, Input, realQuery } from "./query.helper.js";

interface Talk extends World {
  readonly q: Query;
  readonly messages: SDKMessage[];
  /** One turn: its messages. */
  ask(text: string): Promise<SDKMessage[]>;
}

/** A query that is read all the time, and asked as the test goes. */
async function talk(
  path: string,
  replies: ReplyScript = always("ok"),
  options: Options | ((place: World) => Options) = {},
): Promise<Talk> {
  const input = new Input();
  const place = await realQuery(path, replies, options, input);
  const messages: SDKMessage[] = [];
  void (async () => {
    for await (const message of place.q) messages.push(message);
  })();
  const ask = async (words: string) => {
    const from = messages.length;
    const turn = () => messages.slice(from);
    input.push(words);
    await until(() => turn().some(({ type }) => type === "result"));
    return turn();
  };
  return { ...place, messages, ask };
}

/** What an older CLI does not know is a typed refusal there. */
async function unlessOlder<T>(path: string, asked: Promise<T>): Promise<T | "unsupported"> {
  try {
    return await asked;
  } catch (error) {
    if (path === NEWEST_CLI || !isHawserError(error, "unsupported_by_cli")) throw error;
    return "unsupported";
  }
}

const OTHER_MODEL = "claude-haiku-4-5-20251001";

describe.each(clisInTurn())("a query on $name can be asked", ({ path }) => {
  const isNewest = path === NEWEST_CLI;

  it("what is known from the start, and once more", async () => {
    const { q } = await talk(path);
    const start = await q.initializationResult();
    expect(start.output_style).toBe("default");
    expect(await q.supportedCommands()).toEqual(start.commands);
    expect(await q.supportedModels()).toEqual(start.models);
    expect(await q.supportedAgents()).toEqual(start.agents);
    expect(await q.accountInfo()).toMatchObject({ apiKeySource: "ANTHROPIC_API_KEY" });
    expect((await q.reinitialize()).models).toEqual(start.models);
  });

  it("about its context, its usage, its files and what it can reload", async () => {
    const { q, ask, cwd } = await talk(path);
    await ask("hi");
    expect((await q.getContextUsage()).totalTokens).toBeGreaterThan(0);
    expect((await q.getContextUsage({ detail: "summary" })).maxTokens).toBeGreaterThan(0);
    expect(
      await q.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true }),
    ).toMatchObject({ session: { total_cost_usd: expect.any(Number) } });
    writeFileSync(join(cwd, "there.txt"), "content");
    expect(await q.readFile("there.txt")).toMatchObject({ contents: "content" });
    expect(await q.readFile("there.txt", { encoding: "base64" })).toMatchObject({
      contents: "Y29udGVudA==",
    });
    expect(await q.readFile("missing.txt")).toBeNull();
    expect(await q.reloadSkills()).toMatchObject({ skills: expect.any(Array) });
    expect(await q.reloadPlugins()).toMatchObject({ plugins: expect.any(Array) });
    expect(await unlessOlder(path, q.reloadOutputStyles())).toEqual(
      isNewest
        ? expect.objectContaining({ available_output_styles: expect.arrayContaining(["default"]) })
        : "unsupported",
    );
  });

  it("to take another model, other thinking, another mode, other settings", async () => {
    const { q, ask, model, cwd } = await talk(path, (call) =>
      call.prompt === "write" ? toolUse("Write", { file_path: "made", content: "x" }) : "ok",
    );
    const asked = () => model.calls.at(-1);
    await q.setModel(OTHER_MODEL);
    await q.setMaxThinkingTokens(2000);
    await ask("1");
    expect(asked()).toMatchObject({
      model: OTHER_MODEL,
      body: { thinking: { type: "enabled", budget_tokens: 2000 } },
    });
    await q.setModel();
    await q.setMaxThinkingTokens(null, null);
    await ask("2");
    expect(asked()?.model).not.toBe(OTHER_MODEL);
    await q.applyFlagSettings({ model: OTHER_MODEL });
    await ask("3");
    expect(asked()?.model).toBe(OTHER_MODEL);
    await ask("write");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    await q.setPermissionMode("acceptEdits");
    await ask("write");
    expect(existsSync(join(cwd, "made"))).toBe(true);
    await expect(q.setPermissionMode("anything" as never)).rejects.toMatchObject({
      code: "invalid_options",
    });
    const style = { outputStyle: "Explanatory" };
    const saved = await unlessOlder(path, q.updateSettings("localSettings", style));
    expect(saved).toBe(isNewest ? undefined : "unsupported");
    const file = join(cwd, ".claude", "settings.local.json");
    if (isNewest) expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject(style);
  });

  it("to put files back, and what it has read", async () => {
    const input = new Input();
    const uuid = crypto.randomUUID();
    const place = await realQuery(
      path,
      [toolUse("Write", { file_path: "new.txt", content: "new" }), text("done"), always("ok")],
      { enableFileCheckpointing: true, permissionMode: "acceptEdits" },
      input,
    );
    const { q, cwd } = place;
    input.push("go", { uuid });
    for await (const { type } of { [Symbol.asyncIterator]: () => ({ next: () => q.next() }) }) {
      if (type === "result") break;
    }
    const file = join(cwd, "new.txt");
    expect(await q.rewindFiles(uuid, { dryRun: true })).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(true);
    expect(await q.rewindFiles(uuid)).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, "again");
    await q.seedReadState(file, Math.floor(statSync(file).mtimeMs));
  });

  it("about its servers, those of this program too", async () => {
    const say = tool("say", "Says.", {}, async () => ({
      content: [{ type: "text", text: "said" }],
    }));
    const here = () => createSdkMcpServer({ name: "here", tools: [say], alwaysLoad: true });
    const { q, ask, model } = await talk(
      path,
      (call) => (call.prompt === "say" ? toolUse("mcp__here__say") : "ok"),
      { allowedTools: ["mcp__here__say"], mcpServers: { gone: { command: "/nowhere", args: [] } } },
    );
    expect(await q.setMcpServers({ here: here() })).toMatchObject({ added: ["here"], errors: {} });
    await ask("say");
    expect(model.calls.at(-1)?.toolResults[0]?.text).toBe("said");
    const states = async () =>
      Object.fromEntries((await q.mcpServerStatus()).map(({ name, status }) => [name, status]));
    expect(await states()).toMatchObject({ here: "connected", gone: "failed" });
    await expect(q.reconnectMcpServer("gone")).rejects.toMatchObject({ code: "control_error" });
    await q.toggleMcpServer("gone", false);
    expect(await states()).toMatchObject({ gone: "disabled" });
    await expect(q.readMcpResource("gone", "x://y")).rejects.toMatchObject({
      code: path === NEWEST_CLI ? "control_error" : "unsupported_by_cli",
    });
    const overridden = await q.setMcpPermissionModeOverride("here", "default");
    expect(overridden).toEqual({});
    expect(await q.setMcpServers({})).toMatchObject({ removed: ["here"] });
  });

  it("to interrupt its turn, and goes on", async () => {
    const { q, ask, messages, cwd } = await talk(
      path,
      (call) =>
        call.prompt === "wait" ? toolUse("Bash", { command: "mkfifo pipe; cat pipe" }) : "ok",
      { allowedTools: ["Bash"] },
    );
    const turn = ask("wait");
    await until(() => existsSync(join(cwd, "pipe")));
    const receipt = await q.interrupt();
    expect(receipt).toEqual(isNewest ? expect.objectContaining({ still_queued: [] }) : undefined);
    expect((await turn).at(-1)).toMatchObject({ type: "result", is_error: true });
    await ask("again");
    expect(messages.at(-1)).toMatchObject({ type: "result", result: "ok" });
  });

  it("to stop work in the background, and to move work there", async () => {
    const { q, ask, messages, model } = await talk(
      path,
      [toolUse("Bash", { command: "tail -f /dev/null" }), text("moved"), always("stopped")],
      { allowedTools: ["Bash"] },
    );
    const turn = ask("go");
    const running = await until(() => {
      const found = clisOf("tail -f /dev/null");
      return found.length > 0 && found;
    });
    // A command counts as a task of the foreground only after a while.
    await until(async () => {
      await q.backgroundTasks();
      return model.calls.length > 1;
    });
    await turn;
    const started = messages.find(
      (each) => each.type === "system" && each.subtype === "task_started",
    );
    await q.stopTask((started as { task_id: string } | undefined)?.task_id ?? "");
    await until(() => stillAlive(running).length === 0);
  });
});
