import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { context, failureOf, place, tinyServer } from "./omega.helper.js";

const ONCE = { maxResumeAttempts: 0 };
const run = (command: string) => toolUse("Bash", { command, description: "d" });

/** Less the placeholder that newer CLIs put beside the tools of a list. */
const offered = (tools: readonly string[] = []) =>
  tools.filter((name) => name !== "DeferredToolPlaceholder");

describe.each(clisInTurn())("a list of tools on the real CLI $name", ({ path }) => {
  it("restricts: the four of the defaults are all that exist", async () => {
    const { provider, model } = await place(path, ["ok"], ONCE);
    await provider.complete(context());
    expect(offered(model.calls[0]?.tools).sort()).toEqual(["Bash", "Edit", "Read", "Write"]);
  });

  it("needs no approval", async () => {
    const { provider, cwd } = await place(path, [run("touch made.txt"), "done"], ONCE);
    expect((await provider.complete(context())).text).toBe("done");
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  });

  it("of the context wins over the provider's", async () => {
    const { provider, model } = await place(path, ["ok"], ONCE);
    await provider.complete(context({ allowedTools: ["Read"] }));
    expect(offered(model.calls[0]?.tools)).toEqual(["Read"]);
  });

  it("may hold rules: the tool exists, and only what fits needs no approval", async () => {
    const { provider, model, cwd } = await place(
      path,
      [run("touch allowed.txt"), run("mkdir denied"), "done"],
      { ...ONCE, allowedTools: ["Bash(touch *)", "Read"] },
    );
    expect((await provider.complete(context())).text).toBe("done");
    expect(offered(model.calls[0]?.tools).sort()).toEqual(["Bash", "Read"]);
    expect(existsSync(join(cwd, "allowed.txt"))).toBe(true);
    expect(model.calls[2]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(cwd, "denied"))).toBe(false);
  });

  it("does not matter to a provider with tools: [], which only answers", async () => {
    for (const allowedTools of [undefined, [], ["Bash"]]) {
      const { provider, model, cwd } = await place(path, ["ok"], {
        ...ONCE,
        tools: [],
        allowedTools,
        settingSources: ["user", "project"],
      });
      const { name, ...server } = tinyServer(cwd, "planted");
      writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { [name]: server } }));
      expect((await provider.complete(context())).text).toBe("ok");
      expect(offered(model.calls[0]?.tools)).toEqual([]);
    }
  });

  it("of a context does not lift the tools of the provider", async () => {
    const own = await place(path, [run("touch made.txt"), "done"], { ...ONCE, tools: ["Read"] });
    await own.provider.complete(context({ allowedTools: [] }));
    expect(offered(own.model.calls[0]?.tools)).toEqual(["Read"]);
    expect(own.model.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(own.cwd, "made.txt"))).toBe(false);
  });

  it("keeps out servers of the workspace that are not in it", async () => {
    const { provider, model, cwd } = await place(path, ["ok"], ONCE);
    const { name, ...server } = tinyServer(cwd, "planted");
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { [name]: server } }));
    await provider.complete(context());
    expect(model.calls[0]?.tools.filter((tool) => tool.startsWith("mcp__"))).toEqual([]);
  });
});

describe.each(clisInTurn())("full access on the real CLI $name", ({ path }) => {
  const full = { ...ONCE, allowedTools: [] };

  it("offers all tools, and runs what would need approval, as root too", async () => {
    const { provider, model, cwd } = await place(
      path,
      [run("touch made.txt && id -u"), "done"],
      full,
    );
    expect((await provider.complete(context())).text).toBe("done");
    const tools = model.calls[0]?.tools ?? [];
    expect(tools).toEqual(expect.arrayContaining(["Agent", "Bash", "Edit", "Read", "Write"]));
    expect(tools.length).toBeGreaterThan(8);
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: false });
    expect(model.calls[1]?.toolResults[0]?.text).toContain(String(process.getuid?.()));
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  });

  it("offers no tool that asks a person, as `claude -p` does not", async () => {
    const { provider, model, options } = await place(path, always("ok"), full);
    await provider.complete(context());
    // A call that has nobody to ask is what the CLI does by itself.
    await complete("Hello.", { ...options, preset: "agent" });
    const [theirs, usual] = model.calls.map(({ tools }) => offered(tools).sort());
    expect(theirs).toEqual(usual);
    const request = JSON.stringify(model.calls[0]?.body);
    for (const tool of ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]) {
      expect(theirs).not.toContain(tool);
      // Newer CLIs name the tools that are loaded later in a list, one a line.
      expect(request.includes(`\\n${tool}\\n`)).toBe(false);
    }
  });

  it("offers such a tool if tools names it, and keeps the disallowedTools of the provider", async () => {
    const { provider, model } = await place(path, ["ok"], {
      ...full,
      tools: ["AskUserQuestion", "Read", "Bash"],
      disallowedTools: ["Bash"],
    });
    await provider.complete(context());
    expect(offered(model.calls[0]?.tools).sort()).toEqual(["AskUserQuestion", "Read"]);
  });

  it("is what an empty list of the context means", async () => {
    const { provider, model } = await place(path, [run("touch made.txt"), "done"], ONCE);
    await provider.complete(context({ allowedTools: [] }));
    expect(model.calls[0]?.tools).toContain("Agent");
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: false });
  });

  it("stays full when there are servers", async () => {
    const own = await place(path, [run("touch made.txt"), toolUse("mcp__tiny__say"), "done"], full);
    const { provider, model, cwd } = own;
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    expect(model.calls[0]?.tools).toContain("Agent");
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    expect(model.calls[2]?.toolResults[0]?.text).toContain("said by tiny");
  });

  it("does not beat a rule of the user's that denies", async () => {
    const { provider, model, cwd } = await place(path, [run("touch made.txt"), "done"], full);
    mkdirSync(join(cwd, ".claude"));
    const settings = { permissions: { deny: ["Bash(touch *)"] } };
    writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify(settings));
    await provider.complete(context());
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  });

  it("never skips permissions", async () => {
    const { provider, model } = await place(path, [run("echo $PPID; ps -o args= -p $PPID"), "ok"], {
      ...full,
    });
    await provider.complete(context());
    const told = model.calls[1]?.toolResults[0]?.text ?? "";
    expect(told).toContain("--permission-mode=default");
    expect(told).not.toMatch(/bypass|skip-permissions/);
  });
});

describe.each(clisInTurn())("MCP servers of a context on the real CLI $name", ({ path }) => {
  it("are there beside a list of tools, and need no approval", async () => {
    const { provider, model, cwd } = await place(
      path,
      [toolUse("mcp__my_server_v2__say"), "done"],
      ONCE,
    );
    const server = { ...tinyServer(cwd, "my server.v2"), env: { GREETING: "warmly" } };
    await provider.complete(context({ mcpServers: [server] }));
    const tools = offered(model.calls[0]?.tools).sort();
    expect(tools).toEqual(["Bash", "Edit", "Read", "Write", "mcp__my_server_v2__say"]);
    expect(model.calls[1]?.toolResults[0]?.text).toContain("said by my server.v2 warmly");
  });

  it("may be all that a list names", async () => {
    const { provider, model, cwd } = await place(path, [toolUse("mcp__tiny__say"), "done"], ONCE);
    const mcpServers = [tinyServer(cwd, "tiny")];
    await provider.complete(context({ mcpServers, allowedTools: ["mcp__tiny__say"] }));
    expect(offered(model.calls[0]?.tools)).toEqual(["mcp__tiny__say"]);
    expect(model.calls[1]?.toolResults[0]?.text).toContain("said by tiny");
  });

  it("belong to their call alone when there are several at once", async () => {
    const { provider, model, cwd } = await place(path, always("ok"), ONCE);
    const names = ["one", "two", "three"];
    await Promise.all(
      names.map((name) =>
        provider.complete(context({ currentMessage: name, mcpServers: [tinyServer(cwd, name)] })),
      ),
    );
    const seen = model.calls.map(({ prompt, tools }) => [
      prompt,
      tools.filter((tool) => tool.startsWith("mcp__")),
    ]);
    const expected = names.map((name) => [`[User]\n${name}`, [`mcp__${name}__say`]]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
  });

  it("are the only ones", async () => {
    const { provider, model, cwd } = await place(path, ["ok"], { ...ONCE, allowedTools: [] });
    const { name, ...planted } = tinyServer(cwd, "planted");
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { [name]: planted } }));
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    const theirs = model.calls[0]?.tools.filter((tool) => tool.startsWith("mcp__"));
    expect(theirs).toEqual(["mcp__tiny__say"]);
  });

  it("leave the user's own settings file as it is, byte for byte", async () => {
    const { provider, model, cwd } = await place(path, [toolUse("mcp__tiny__say"), "done"], ONCE);
    mkdirSync(join(cwd, ".claude"));
    const file = join(cwd, ".claude", "settings.local.json");
    const own = '{ "env": {"MINE": "1"},\n\t"permissions": { "allow": [] } }  \n';
    writeFileSync(file, own);
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    expect(model.calls[1]?.toolResults[0]?.text).toContain("said by tiny");
    expect(readFileSync(file, "utf8")).toBe(own);
  });

  it("make no settings file where there was none", async () => {
    const { provider, cwd } = await place(path, ["ok"], ONCE);
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });

  it("that fail are logged and do not fail the call, unless they are required", async () => {
    const broken = { name: "broken", command: "/nowhere/at-all", args: [] };
    const { logger, entries } = recordingLogger();
    const calm = await place(path, ["without it"], { ...ONCE, logger });
    const message = await calm.provider.complete(context({ mcpServers: [broken] }));
    expect(message.text).toBe("without it");
    expect(entries).toContainEqual({
      level: "warn",
      message: "MCP servers that do not work",
      fields: { servers: [expect.objectContaining({ name: "broken", status: "failed" })] },
    });
    const strict = await place(path, always("never asked"), { ...ONCE, requireMcp: true });
    const error = await failureOf(strict.provider.complete(context({ mcpServers: [broken] })));
    expect(error.code).toBe("mcp_failed");
  });
});
