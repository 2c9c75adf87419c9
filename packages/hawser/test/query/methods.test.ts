import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createSdkMcpServer,
  isHawserError,
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from "../../src/index.js";
import { always, text, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { stillAlive, until } from "../support/proc.js";
import { sharedWorld } from "../support/shared-world.js";
import { clisOf, Input } from "./query.helper.js";

/** One query for all tests of a block: it is read all the time, and each test asks its own turns. */
function sharedQuery(cliPath: string, options: Options) {
  const world = sharedWorld(cliPath);
  const messages: SDKMessage[] = [];
  let input: Input;
  let q: Query | undefined;
  beforeAll(() => {
    input = new Input();
    const opened = query({ prompt: input, options: { ...world.options, ...options } });
    q = opened;
    void (async () => {
      for await (const message of opened) messages.push(message);
    })();
  });
  afterAll(async () => void (await q?.return()));
  return {
    messages,
    world,
    get q() {
      return q as Query;
    },
    /** One turn: its messages. */
    async ask(text: string, more: Partial<SDKUserMessage> = {}): Promise<SDKMessage[]> {
      const from = messages.length;
      const turn = () => messages.slice(from);
      input.push(text, more);
      await until(() => turn().some(({ type }) => type === "result"));
      return turn();
    },
  };
}

/** The older CLI must reject with unsupported_by_cli what it does not know. */
async function unlessOlder<T>(path: string, asked: Promise<T>): Promise<T | "unsupported"> {
  try {
    return await asked;
  } catch (error) {
    if (path === NEWEST_CLI || !isHawserError(error, "unsupported_by_cli")) throw error;
    return "unsupported";
  }
}

const OTHER_MODEL = "claude-haiku-4-5-20251001";

describe.each(clisInTurn())("Query methods on $name", ({ path }) => {
  const isNewest = path === NEWEST_CLI;
  const shared = sharedQuery(path, {
    enableFileCheckpointing: true,
    allowedTools: ["Bash", "mcp__here__say"],
    mcpServers: { gone: { command: "/nowhere", args: [] } },
  });
  const { ask, messages, world } = shared;

  it("return the answer of the start, and reinitialize() asks for it again", async () => {
    const { q } = shared;
    const start = await q.initializationResult();
    expect(start.output_style).toBe("default");
    expect(await q.supportedCommands()).toEqual(start.commands);
    expect(await q.supportedModels()).toEqual(start.models);
    expect(await q.supportedAgents()).toEqual(start.agents);
    expect(await q.accountInfo()).toMatchObject({ apiKeySource: "ANTHROPIC_API_KEY" });
    expect((await q.reinitialize()).models).toEqual(start.models);
  });

  it("return context usage, cost and files, and reload skills, plugins and output styles", async () => {
    const { q } = shared;
    const { cwd } = world.place;
    world.script(always("ok"));
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

  it("change the model, the thinking, the permission mode and the settings", async () => {
    const { q } = shared;
    const { cwd } = world.place;
    world.script(
      always((call) =>
        call.prompt === "write" ? toolUse("Write", { file_path: "made", content: "x" }) : "ok",
      ),
    );
    const asked = () => world.calls.at(-1);
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
    await q.applyFlagSettings({ model: null });
    await ask("write");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    await q.setPermissionMode("acceptEdits");
    await ask("write");
    expect(existsSync(join(cwd, "made"))).toBe(true);
    await q.setPermissionMode("default");
    await expect(q.setPermissionMode("anything" as never)).rejects.toMatchObject({
      code: "invalid_options",
    });
    const style = { outputStyle: "Explanatory" };
    const saved = await unlessOlder(path, q.updateSettings("localSettings", style));
    expect(saved).toBe(isNewest ? undefined : "unsupported");
    const file = join(cwd, ".claude", "settings.local.json");
    if (isNewest) expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject(style);
  });

  it("restore files by rewindFiles() and tell the CLI of a read file by seedReadState()", async () => {
    const { q } = shared;
    const { cwd } = world.place;
    const uuid = crypto.randomUUID();
    world.script(toolUse("Write", { file_path: "new.txt", content: "new" }), text("done"));
    await q.setPermissionMode("acceptEdits");
    await ask("go", { uuid });
    await q.setPermissionMode("default");
    const file = join(cwd, "new.txt");
    expect(await q.rewindFiles(uuid, { dryRun: true })).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(true);
    expect(await q.rewindFiles(uuid)).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, "again");
    await q.seedReadState(file, Math.floor(statSync(file).mtimeMs));
  });

  it("set, list, reconnect and disable MCP servers", async () => {
    const say = tool("say", "Says.", {}, async () => ({
      content: [{ type: "text", text: "said" }],
    }));
    const here = () => createSdkMcpServer({ name: "here", tools: [say], alwaysLoad: true });
    const { q } = shared;
    world.script(toolUse("mcp__here__say"), text("done"));
    expect(await q.setMcpServers({ here: here() })).toMatchObject({ added: ["here"], errors: {} });
    await ask("say");
    expect(world.calls.at(-1)?.toolResults[0]?.text).toBe("said");
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

  it("interrupt the turn by interrupt(), and the next turn works", async () => {
    const { q } = shared;
    const { cwd } = world.place;
    world.script(toolUse("Bash", { command: "mkfifo pipe; cat pipe" }), always("ok"));
    const turn = ask("wait");
    await until(() => existsSync(join(cwd, "pipe")));
    const receipt = await q.interrupt();
    expect(receipt).toEqual(isNewest ? expect.objectContaining({ still_queued: [] }) : undefined);
    expect((await turn).at(-1)).toMatchObject({ type: "result", is_error: true });
    await ask("again");
    expect(messages.at(-1)).toMatchObject({ type: "result", result: "ok" });
  });
});

// A query of its own, because the CLI reports the stopped task in a turn that no test asked for.
describe.each(clisInTurn())("Query methods for tasks on $name", ({ path }) => {
  const shared = sharedQuery(path, { allowedTools: ["Bash"] });

  it("move a command to the background by backgroundTasks() and stop it by stopTask()", async () => {
    const { q, ask, messages, world } = shared;
    world.script(
      toolUse("Bash", { command: "tail -f /dev/null" }),
      text("moved"),
      always("stopped"),
    );
    const turn = ask("go");
    const running = await until(() => {
      const found = clisOf("tail -f /dev/null");
      return found.length > 0 && found;
    });
    // The CLI treats a command as a foreground task only after a while.
    await until(async () => {
      await q.backgroundTasks();
      return world.calls.length > 1;
    });
    await turn;
    const started = messages.find(
      (each) => each.type === "system" && each.subtype === "task_started",
    );
    await q.stopTask((started as { task_id: string } | undefined)?.task_id ?? "");
    await until(() => stillAlive(running).length === 0);
  });
});
