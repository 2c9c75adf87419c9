import { describe, expect, it, onTestFinished } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import {
  type Options,
  refuseOpenGuards,
  shadowedCallbackWarning,
  validateOptions,
} from "../../src/options/index.js";
import { createPool } from "../../src/pool/index.js";
import { createApprovals, openSession } from "../../src/session/index.js";
import { recordingLogger } from "../support/recording-logger.js";

const hook = () => undefined;

/** The paths and messages of the problems. */
function problems(options: Options): string[] {
  try {
    refuseOpenGuards(options);
    return [];
  } catch (error) {
    if (!isHawserError(error, "invalid_options")) throw error;
    return (error.issues ?? []).map(({ path, message }) => `${path} ${message}`);
  }
}

describe("refuseOpenGuards()", () => {
  const rules = (tool: string): Options => ({ rules: [{ tool, decision: "deny" }] });
  const matcher = (text: string): Options => ({
    hooks: { PreToolUse: [{ matcher: text, hooks: [hook] }] },
  });

  it.each<[string, Options, string, string]>([
    ["rules", rules("bash"), "rules[0].tool", "Bash"],
    ["rules with one letter less", rules("Bas"), "rules[0].tool", "Bash"],
    ["rules with two letters swapped", rules("Raed"), "rules[0].tool", "Read"],
    ["rules with a pattern", rules("web*"), "rules[0].tool", "WebFetch"],
    ["disallowedTools", { disallowedTools: ["bash"] }, "disallowedTools[0]", "Bash"],
    [
      "disallowedTools with a pattern",
      { disallowedTools: ["bash(rm *)"] },
      "disallowedTools[0]",
      "Bash",
    ],
    ["tools", { tools: ["Read", "Reed"] }, "tools[1]", "Read"],
    ["a matcher", matcher("bash"), "hooks.PreToolUse[0].matcher", "Bash"],
    ["a matcher of several names", matcher("Write|^(Bsh)$"), "hooks.PreToolUse[0].matcher", "Bash"],
    [
      "an agent's disallowedTools",
      { agents: { x: { description: "d", prompt: "p", disallowedTools: ["wRite"] } } },
      "agents.x.disallowedTools[0]",
      "Write",
    ],
    [
      "settings",
      { settings: { permissions: { deny: ["bash(rm *)"] } } },
      "settings.permissions.deny[0]",
      "Bash",
    ],
    [
      "settings as JSON text",
      { settings: '{ "permissions": { "ask": ["Read", "wRite"] } }' },
      "settings.permissions.ask[1]",
      "Write",
    ],
  ])("refuses a misspelt tool in %s", (_, options, path, meant) => {
    const [first, ...more] = problems(options);
    expect(first).toContain(path);
    expect(first).toContain(`Did you mean \`${meant}\`?`);
    expect(more).toEqual([]);
  });

  it.each<[string, string]>([
    ["bash", "Use `Bash`: tool names are case-sensitive."],
    ["wRite", "Use `Write`: tool names are case-sensitive."],
    ["Bas", "Use `Bash`."],
    ["Raed", "Use `Read`."],
    ["bsh", "Use `Bash`."],
  ])("says of %s that names are case-sensitive only if nothing else differs", (tool, hint) => {
    expect(() => refuseOpenGuards({ disallowedTools: [tool] })).toThrow(
      expect.objectContaining({ code: "invalid_options", hint }),
    );
  });

  it.each<[string, Options]>([
    ["every name of a tool", { tools: ["Bash", "Task", "KillShell", "LSP", "LS", "REPL"] }],
    ["patterns", rules("Task*")],
    ["a pattern that fits an MCP tool", rules("*push")],
    ["tools of MCP servers", { disallowedTools: ["mcp__bash", "mcp__bash__read"] }],
    ["names that look like no tool", { disallowedTools: ["Terminal"] }],
    ["own names of tools", { toolAliases: { bash: "Bash" }, disallowedTools: ["bash"] }],
    ["regular expressions", matcher("mcp__.*|Notebook.*|.*")],
    [
      "matchers that are not about tools",
      { hooks: { SessionStart: [{ matcher: "clear", hooks: [hook] }] } },
    ],
    ["allowedTools, which is no guard", { allowedTools: ["bash"] }],
  ])("accepts %s", (_, options) => {
    expect(problems(options)).toEqual([]);
  });

  it.each([
    ["my server", "my_server"],
    ["a", "a__b"],
    ["a__b", "a"],
    ["x", "x_"],
  ])("refuses the MCP servers %j and %j, whose tools could have the same names", (one, other) => {
    const server = { command: "true" };
    const [first, ...more] = problems({ mcpServers: { [one]: server, [other]: server } });
    expect(first).toContain("collides with");
    expect(more).toEqual([]);
    const text = JSON.stringify({ mcpServers: { [one]: server, [other]: server } });
    expect(problems({ mcpServers: text })).toHaveLength(1);
  });

  it("accepts MCP servers whose names only begin alike", () => {
    const server = { command: "true" };
    expect(problems({ mcpServers: { a: server, ab: server, a_b: server, b__a: server } })).toEqual(
      [],
    );
  });

  it("is called by openSession(), complete() and createPool() before anything starts", async () => {
    const wrong = { cliPath: "/nowhere/claude", disallowedTools: ["bash"] };
    const refused = { code: "invalid_options", message: expect.stringContaining("`Bash`?") };
    await expect(openSession(wrong)).rejects.toMatchObject(refused);
    await expect(complete("x", wrong)).rejects.toMatchObject(refused);
    expect(() => createPool({ warm: [wrong] })).toThrow(/`Bash`\?/);
  });
});

describe("shadowedCallback()", () => {
  const canUseTool = () => null;

  it("names the tools that allowedTools allows before the callback is asked", () => {
    const text = shadowedCallbackWarning({
      canUseTool,
      allowedTools: ["Bash(git *)", "Read", "mcp__a"],
    });
    expect(text).toContain("Read, mcp__a,");
    expect(text).not.toContain("git");
    expect(shadowedCallbackWarning({ canUseTool, permissionMode: "bypassPermissions" })).toContain(
      "almost no call",
    );
  });

  it.each<[string, Options]>([
    ["there is no callback", { allowedTools: ["Bash"] }],
    ["only some calls are allowed", { canUseTool, allowedTools: ["Bash(git *)"] }],
    ["a policy decides first", { canUseTool, allowedTools: ["Bash"], rules: [] }],
  ])("returns nothing if %s", (_, options) => {
    expect(shadowedCallbackWarning(options)).toBeUndefined();
  });
});

describe("openSession() with a callback that is not asked", () => {
  const canUseTool = () => null;
  const cliPath = "/nowhere/claude";

  it("tells the logger about tools that run commands or change files, and no others", async () => {
    const { logger, entries } = recordingLogger();
    const allowedTools = ["Read", "mcp__own", "Bash", "Write"];
    await openSession({ cliPath, logger, canUseTool, allowedTools }).catch(() => {});
    expect(entries.map(({ message }) => message)).toEqual([
      expect.stringContaining("not asked about Bash, Write,"),
    ]);
  });

  it.each(["Bash", "PowerShell", "Monitor", "Write", "Edit", "MultiEdit", "NotebookEdit", "*"])(
    "tells the logger about %s",
    async (tool) => {
      const { logger, entries } = recordingLogger();
      await openSession({ cliPath, logger, canUseTool, allowedTools: [tool] }).catch(() => {});
      expect(entries.map(({ message }) => message)).toEqual([
        expect.stringContaining(`not asked about ${tool},`),
      ]);
    },
  );

  it("tells each logger once, also in complete()", async () => {
    const told = async (allowedTools: string[], { logger, entries } = recordingLogger()) => {
      const options = { cliPath, logger, canUseTool, allowedTools };
      await openSession(options).catch(() => {});
      for (let i = 0; i < 2; i++) await complete("x", options).catch(() => {});
      return entries.filter(({ message }) => message.includes("canUseTool is not asked")).length;
    };
    const recording = recordingLogger();
    expect(await told(["Bash"], recording)).toBe(1);
    expect(await told(["Write"], recording)).toBe(2);
    expect(await told(["Bash"])).toBe(1);
  });

  it("says nothing of the callback of createApprovals(), which only hands questions on", async () => {
    const { logger, entries } = recordingLogger();
    const { canUseTool } = createApprovals();
    await openSession({ cliPath, logger, canUseTool, allowedTools: ["Bash"] }).catch(() => {});
    const told = entries.filter(({ message }) => message.includes("canUseTool is not asked"));
    expect(told).toEqual([]);
  });

  it("warns with HAWSER_CAN_USE_TOOL_SHADOWED without a logger, once", async () => {
    const codes: unknown[] = [];
    const listener = (warning: Error) => void codes.push(Reflect.get(warning, "code"));
    process.on("warning", listener);
    onTestFinished(() => void process.off("warning", listener));
    for (let i = 0; i < 2; i++) {
      await openSession({ cliPath, canUseTool, allowedTools: ["Bash"] }).catch(() => {});
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(codes).toEqual(["HAWSER_CAN_USE_TOOL_SHADOWED"]);
  });
});

describe("rules", () => {
  it.each(["Bash(rm *)", "Bash|Write", "Bash,Write", "^Bash$", "Bash.*", "", " Bash"])(
    "refuse %j, which is not the name of a tool",
    (tool) => {
      expect(() => validateOptions({ rules: [{ tool, decision: "deny" }] })).toThrow(
        expect.objectContaining({
          code: "invalid_options",
          message: expect.stringContaining("rules[0].tool must be the name of one tool"),
        }),
      );
    },
  );
});
