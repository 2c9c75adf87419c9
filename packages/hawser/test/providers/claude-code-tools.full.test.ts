import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { context, failureOf, place, tinyServer } from "./omega.helper.js";

const ONCE = { maxResumeAttempts: 0 };
const run = (command: string) => toolUse("Bash", { command, description: "d" });

/** Without the placeholder that newer CLIs add to a list of tools. */
const offered = (tools: readonly string[] = []) =>
  tools.filter((name) => name !== "DeferredToolPlaceholder");

/** Plants an MCP server that the CLI would start from the working directory. */
function plantServer(cwd: string): void {
  const { name, ...server } = tinyServer(cwd, "planted");
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { [name]: server } }));
}

describe.each(clisInTurn())("allowedTools of ClaudeCodeProvider, real CLI $name", ({ path }) => {
  it("defaults to four tools that need no approval and run in workingDir, without the servers of .mcp.json", async () => {
    const { provider, model, cwd } = await place(path, [run("touch made.txt"), "done"], ONCE);
    plantServer(cwd);
    expect((await provider.complete(context())).text).toBe("done");
    expect(offered(model.calls[0]?.tools).sort()).toEqual(["Bash", "Edit", "Read", "Write"]);
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  });

  it("of the context wins over the provider, and a rule allows only calls that match", async () => {
    const { provider, model, cwd } = await place(
      path,
      [run("touch allowed.txt"), run("mkdir denied"), "done"],
      ONCE,
    );
    const allowedTools = ["Bash(touch *)", "Read"];
    expect((await provider.complete(context({ allowedTools }))).text).toBe("done");
    expect(offered(model.calls[0]?.tools).sort()).toEqual(["Bash", "Read"]);
    expect(existsSync(join(cwd, "allowed.txt"))).toBe(true);
    expect(model.calls[2]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(cwd, "denied"))).toBe(false);
  });

  const others: [string[] | undefined, string[] | undefined][] = [
    [undefined, undefined],
    [["Bash"], undefined],
  ];

  it.each<(typeof others)[number]>([[[], ["Bash"]], ...(FULL ? others : [])])(
    "has no effect with tools: [] (provider %j, context %j)",
    async (allowedTools, ofContext) => {
      const { provider, model, cwd } = await place(path, ["ok"], {
        ...ONCE,
        tools: [],
        allowedTools,
        settingSources: ["user", "project"],
      });
      plantServer(cwd);
      const { text } = await provider.complete(context({ allowedTools: ofContext }));
      expect(text).toBe("ok");
      expect(offered(model.calls[0]?.tools)).toEqual([]);
    },
  );

  it("of the context does not extend the tools of the provider", async () => {
    const own = await place(path, [run("touch made.txt"), "done"], { ...ONCE, tools: ["Read"] });
    await own.provider.complete(context({ allowedTools: [] }));
    expect(offered(own.model.calls[0]?.tools)).toEqual(["Read"]);
    expect(own.model.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(own.cwd, "made.txt"))).toBe(false);
  });
});

describe.each(clisInTurn())("full access by allowedTools: [], real CLI $name", ({ path }) => {
  const full = { ...ONCE, allowedTools: [] };

  it("offers all tools, runs calls that would need approval, also as root, and never skips permissions", async () => {
    const { provider, model, cwd } = await place(
      path,
      [run("touch made.txt && id -u"), run("echo $PPID; ps -o args= -p $PPID"), "done"],
      full,
    );
    expect((await provider.complete(context())).text).toBe("done");
    const tools = model.calls[0]?.tools ?? [];
    expect(tools).toEqual(expect.arrayContaining(["Agent", "Bash", "Edit", "Read", "Write"]));
    expect(tools.length).toBeGreaterThan(8);
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: false });
    expect(model.calls[1]?.toolResults[0]?.text).toContain(String(process.getuid?.()));
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    const told = model.calls[2]?.toolResults[0]?.text ?? "";
    expect(told).toContain("--permission-mode=default");
    expect(told).not.toMatch(/bypass|skip-permissions/);
  });

  it("of the context offers the tools of `claude -p`, without a tool that asks a person", async () => {
    const { provider, model, options } = await place(
      path,
      [run("touch made.txt"), always("ok")],
      ONCE,
    );
    await provider.complete(context({ allowedTools: [] }));
    expect(model.calls[0]?.tools).toContain("Agent");
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: false });
    // Without a callback for questions the CLI decides by itself which tools to offer.
    await complete("Hello.", { ...options, preset: "agent" });
    const theirs = offered(model.calls[0]?.tools).sort();
    expect(theirs).toEqual(offered(model.calls[2]?.tools).sort());
    const request = JSON.stringify(model.calls[0]?.body);
    for (const tool of ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]) {
      expect(theirs).not.toContain(tool);
      // Newer CLIs name the tools that are loaded later in a list, one on each line.
      expect(request.includes(`\\n${tool}\\n`)).toBe(false);
    }
  });

  it("offers AskUserQuestion if tools names it, and keeps the disallowedTools of the provider", async () => {
    const { provider, model } = await place(path, ["ok"], {
      ...full,
      tools: ["AskUserQuestion", "Read", "Bash"],
      disallowedTools: ["Bash"],
    });
    await provider.complete(context());
    expect(offered(model.calls[0]?.tools).sort()).toEqual(["AskUserQuestion", "Read"]);
  });

  it("stays full with mcpServers of the context, which are the only servers", async () => {
    const own = await place(path, [run("touch made.txt"), toolUse("mcp__tiny__say"), "done"], full);
    const { provider, model, cwd } = own;
    plantServer(cwd);
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    const tools = model.calls[0]?.tools ?? [];
    expect(tools).toContain("Agent");
    expect(tools.filter((tool) => tool.startsWith("mcp__"))).toEqual(["mcp__tiny__say"]);
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    expect(model.calls[2]?.toolResults[0]?.text).toContain("said by tiny");
  });

  it("does not override a deny rule of the user", async () => {
    const { provider, model, cwd } = await place(path, [run("touch made.txt"), "done"], full);
    mkdirSync(join(cwd, ".claude"));
    const settings = { permissions: { deny: ["Bash(touch *)"] } };
    writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify(settings));
    await provider.complete(context());
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  });
});

describe.each(clisInTurn())("Context.mcpServers, real CLI $name", ({ path }) => {
  it("adds tools that need no approval to the list, and creates no settings file", async () => {
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
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });

  it("may be all that allowedTools names, and leaves the settings file of the user unchanged", async () => {
    const { provider, model, cwd } = await place(path, [toolUse("mcp__tiny__say"), "done"], ONCE);
    mkdirSync(join(cwd, ".claude"));
    const file = join(cwd, ".claude", "settings.local.json");
    const own = '{ "env": {"MINE": "1"},\n\t"permissions": { "allow": [] } }  \n';
    writeFileSync(file, own);
    const mcpServers = [tinyServer(cwd, "tiny")];
    await provider.complete(context({ mcpServers, allowedTools: ["mcp__tiny__say"] }));
    expect(offered(model.calls[0]?.tools)).toEqual(["mcp__tiny__say"]);
    expect(model.calls[1]?.toolResults[0]?.text).toContain("said by tiny");
    expect(readFileSync(file, "utf8")).toBe(own);
  });

  it("belongs to its call alone among simultaneous calls", async () => {
    const { provider, model, cwd } = await place(path, always("ok"), ONCE);
    const names = FULL ? ["one", "two", "three"] : ["one", "two"];
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

  it("logs a server that fails, and gives the answer without requireMcp", async () => {
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
  });

  // The failure table has requireMcp in `npm test`.
  it.runIf(FULL)("rejects with mcp_failed for a server that fails, with requireMcp", async () => {
    const broken = { name: "broken", command: "/nowhere/at-all", args: [] };
    const strict = await place(path, always("never asked"), { ...ONCE, requireMcp: true });
    const error = await failureOf(strict.provider.complete(context({ mcpServers: [broken] })));
    expect(error.code).toBe("mcp_failed");
  });
});
