import { describe, expect, it } from "vitest";
import { OPTION_TABLE, type Options } from "../../src/options/index.js";
import { CASES, SCHEMA, UUID } from "./cases.helper.js";
import { invalid, messageOf } from "./invalid.helper.js";

describe("validateOptions() with valid options", () => {
  const all = Object.values(CASES).flat();

  it.each(all.map(({ options }) => [options]))("passes %j", (options) => {
    expect(messageOf(options)).toBeUndefined();
  });

  it.each(["Bash(a, b)", "Bash(f() g, h)", 'Bash(grep "(" *)', "Bash(a\\))", "mcp__a__*"])(
    "passes the rule %s",
    (rule) => {
      expect(messageOf({ allowedTools: [rule] })).toBeUndefined();
    },
  );

  it("passes options that are all undefined", () => {
    const names = Object.keys(OPTION_TABLE);
    expect(messageOf(Object.fromEntries(names.map((name) => [name, undefined])))).toBeUndefined();
  });
});

describe("an option of a wrong value", () => {
  it.each<[string, unknown, string | RegExp]>([
    ["maxTurns 0", { maxTurns: 0 }, "maxTurns must be an integer of at least 1, not 0."],
    ["maxTurns 1.5", { maxTurns: 1.5 }, "maxTurns must be an integer of at least 1, not 1.5."],
    ["maxTurns text", { maxTurns: "3" }, 'maxTurns must be an integer of at least 1, not "3".'],
    [
      "maxTurns NaN",
      { maxTurns: Number.NaN },
      "maxTurns must be an integer of at least 1, not NaN.",
    ],
    ["budget 0", { maxBudgetUsd: 0 }, "maxBudgetUsd must be a number greater than 0, not 0."],
    ["budget -1", { maxBudgetUsd: -1 }, "maxBudgetUsd must be a number greater than 0, not -1."],
    [
      "endless budget",
      { maxBudgetUsd: Number.POSITIVE_INFINITY },
      "maxBudgetUsd must be a number greater than 0, not Infinity.",
    ],
    [
      "a wait without an end",
      { closeGraceMs: Number.POSITIVE_INFINITY },
      "closeGraceMs must be a number of milliseconds from 0 to 2147483647, not Infinity.",
    ],
    [
      "task budget",
      { taskBudget: { total: 0 } },
      "taskBudget.total must be an integer of at least 1, not 0.",
    ],
    [
      "two tools in one",
      { allowedTools: ["Read", "Bash,Edit"] },
      "allowedTools[1] must not contain a comma outside parentheses.",
    ],
    [
      "a space between tools",
      { tools: ["Bash Edit"] },
      "tools[0] must not contain a space outside parentheses.",
    ],
    [
      "two rules in one",
      { allowedTools: ["Bash(a),Bash(b)"] },
      "allowedTools[0] must not contain a comma outside parentheses.",
    ],
    [
      "an empty pattern",
      { disallowedTools: ["Bash()"] },
      "disallowedTools[0] has empty parentheses.",
    ],
    [
      "a rule whose end is escaped",
      { disallowedTools: ["Bash(rm \\)"] },
      "disallowedTools[0] has an unclosed parenthesis.",
    ],
    [
      "an open rule",
      { disallowedTools: ["Bash(rm *"] },
      "disallowedTools[0] has an unclosed parenthesis.",
    ],
    [
      "a rule that is closed and not opened",
      { allowedTools: ["Bash)"] },
      "allowedTools[0] closes no parenthesis.",
    ],
    ["an empty rule", { allowedTools: [""] }, "allowedTools[0] must not be empty."],
    [
      "a plugin that is not local",
      { plugins: [{ type: "npm", path: "/p" }] },
      'plugins[0].type must be one of "local", not "npm".',
    ],
    ["a session id", { sessionId: "abc" }, "sessionId must be a UUID."],
    [
      "a message id",
      { resume: "a title", resumeSessionAt: "abc" },
      "resumeSessionAt must be a UUID.",
    ],
    [
      "a turn's id",
      { resume: UUID, resumeSessionAt: UUID, resumeDropsTurn: "abc" },
      "resumeDropsTurn must be a UUID.",
    ],
    ["an empty session to resume", { resume: "" }, "resume must not be empty."],
    ["NUL in the model", { model: "a\0b" }, "model must not contain control characters."],
    [
      "a line break in a directory",
      { additionalDirectories: ["/a\n/b"] },
      "additionalDirectories[0] must not contain control characters.",
    ],
    [
      "a control character in an extra argument",
      { extraArgs: { name: "a\x1bb" } },
      "extraArgs.name must not contain control characters.",
    ],
    [
      "a line break in a path of settings",
      { settings: "/a\n.json" },
      "settings must not contain control characters.",
    ],
    ["NUL in the directory", { cwd: "/a\0" }, "cwd must not contain NUL."],
    ["NUL in a variable", { env: { A: "\0" } }, "env.A must not contain NUL."],
    ["a variable with =", { env: { "A=B": "c" } }, 'env["A=B"] is not a valid name.'],
    ["a number as a variable", { env: { A: 1 } }, "env.A must be a string."],
    ["a mode", { permissionMode: 5 }, "permissionMode must be a string, not a number."],
    ["an empty mode", { permissionMode: "" }, "permissionMode must not be empty."],
    ["a mistyped mode", { permissionMode: "plann" }, /^permissionMode must be one of "default", /],
    ["a mode in other letters", { permissionMode: "AcceptEdits" }, /did you mean "acceptEdits"\?$/],
    ["a mode with dashes", { permissionMode: "accept-edits" }, /did you mean "acceptEdits"\?$/],
    [
      "a mode short of a letter",
      { permissionMode: "bypassPermission" },
      /did you mean "bypassPermissions"\?$/,
    ],
    ["an effort", { effort: 5 }, "effort must be a string, not a number."],
    ["an effort of two lines", { effort: "a\nb" }, "effort must not contain control characters."],
    ["a source", { settingSources: ["managed"] }, /^settingSources\[0\] must be one of "user", /],
    ["a thinking type", { thinking: { type: "on" } }, /^thinking\.type must be one of "adaptive"/],
    ["thinking without a type", { thinking: {} }, "thinking.type is missing."],
    [
      "a negative limit",
      { timeouts: { bootMs: -1 } },
      "timeouts.bootMs must be a number of milliseconds of at least 0, not -1.",
    ],
    ["a key of two lines", { apiKey: "a\nb" }, /^apiKey must be a non-empty string/],
    ["a beta with a comma", { betas: ["a,b"] }, "betas[0] is not the name of a beta."],
    ["two fallbacks in one", { fallbackModel: ["a,b"] }, "fallbackModel[0] must be one model."],
    [
      "a hook event",
      { hooks: { PreTooluse: [] } },
      "hooks.PreTooluse is not a hook event; did you mean hooks.PreToolUse?",
    ],
    [
      "a hook's pattern",
      { hooks: { PreToolUse: [{ matcher: "Bash(", hooks: [() => ({})] }] } },
      /^hooks\.PreToolUse\[0\]\.matcher is no pattern, so its hooks would never be called \(Invalid regular expression: .*\)\.$/,
    ],
    ["a hook that is none", { hooks: { Stop: [{ hooks: [5] }] } }, /^hooks\.Stop\[0\]\.hooks\[0\]/],
    [
      "an agent without a prompt",
      { agents: { a: { description: "d" } } },
      "agents.a.prompt is missing.",
    ],
    ["a signal", { signal: {} }, "signal must be an AbortSignal."],
    ["a controller", { abortController: {} }, "abortController must be an AbortController."],
    [
      "a logger",
      { logger: { info() {} } },
      "logger.debug is missing (and 2 more problems: see `issues`).",
    ],
    [
      "a list that is none",
      { tools: "Bash" },
      'tools must be an array of tool names such as ["Read"], or { type: "preset", preset: "claude_code" }.',
    ],
    ["a server without a command", { mcpServers: { a: {} } }, "mcpServers.a.command is missing."],
    [
      "a server with an address and without a type",
      { mcpServers: { a: { url: "http://x" } } },
      "mcpServers.a has a `url` but no `type`.",
    ],
    ["a server type", { mcpServers: { a: { type: "ws" } } }, /^mcpServers\.a\.type must be one of/],
    [
      "servers as bad JSON",
      { mcpServers: "{bad" },
      "mcpServers begins like JSON but is not valid JSON.",
    ],
    ["servers as a list", { mcpServers: "[]" }, "mcpServers must be an object, not an array."],
    [
      "settings as bad JSON",
      { settings: "{bad" },
      "settings begins like JSON but is not valid JSON.",
    ],
    ["settings as a list", { settings: "[]" }, "settings is JSON but not an object."],
    [
      "settings the CLI drops in silence",
      { settings: { permissions: { allow: "x" } } },
      "settings.permissions must be an object of lists of rules and a known defaultMode.",
    ],
    [
      "a mistyped mode in settings",
      { settings: { permissions: { defaultMode: "plann" } } },
      "settings.permissions must be an object of lists of rules and a known defaultMode.",
    ],
    [
      "an output format of another type",
      { outputFormat: { type: "text" } },
      'outputFormat.type must be one of "json_schema", not "text" (and 1 more problem: see `issues`).',
    ],
    [
      "a schema",
      { outputFormat: { type: "json_schema", schema: { type: "strin" } } },
      /schema\.type/,
    ],
    [
      "a schema in a schema",
      { schema: { properties: { a: { type: "x" } } } },
      /^schema\.properties\.a/,
    ],
    [
      "a wrapped schema",
      { schema: { properties: [SCHEMA] } },
      /^schema\.properties must be an object/,
    ],
    ["data without a JSON form", { sandbox: { a: 1n } }, /^sandbox must be JSON data: /],
    ["no object at all", null, "options must be an object, not null."],
    ["a list", [], "options must be an object, not an array."],
  ])("is refused: %s", (_, options, message) => {
    const found = messageOf(options);
    if (typeof message === "string") expect(found).toBe(message);
    else expect(found).toMatch(message);
  });

  it.each<[unknown, number]>([
    [{ maxTurns: "3" }, 3],
    [{ maxTurns: " 3 " }, 3],
    [{ maxBudgetUsd: "0.50" }, 0.5],
    [{ timeouts: { bootMs: "1e3" } }, 1000],
  ])("that is a number in quotes gets the hint to leave them out: %j", (options, meant) => {
    expect(invalid(options)?.hint).toBe(`Pass the number ${meant}, without quotes.`);
  });

  it.each<[unknown]>([
    [{ maxTurns: "0" }],
    [{ maxTurns: "three" }],
    [{ maxTurns: "" }],
    [{ maxTurns: " " }],
    [{ maxTurns: 0 }],
    [{ maxTurns: null }],
  ])("that is no number in quotes gets the hint to change it: %j", (options) => {
    expect(invalid(options)?.hint).toBe("Change `maxTurns`, or leave it out.");
  });

  it.each<[unknown, string]>([
    [{ agents: { a: { description: "d" } } }, "Add `agents.a.prompt`."],
    [{ settingSources: ["projects"] }, 'Use "project".'],
    [{ settingSources: ["managed"] }, "Change `settingSources[0]`, or leave it out."],
    [{ mcpServers: { a: { url: "http://x" } } }, 'Add `type: "http"` or `type: "sse"`.'],
    [{ hooks: { PreTool: [] } }, "Use `hooks.PreToolUse`."],
    [{ hooks: { Pre: [] } }, "See HOOK_EVENTS for the names."],
    [
      { hooks: { PreToolUse: [{ matcher: /Bash/, hooks: [() => ({})] }] } },
      'Pass a string: a tool name such as "Bash", several names such as "Bash|Write", or the source of a regular expression such as "mcp__.*".',
    ],
  ])("comes with what to do: %o", (options, hint) => {
    expect(invalid(options)?.hint).toBe(hint);
  });

  it("is refused for every option", () => {
    const wrong = Symbol("no option takes this");
    const names = Object.keys(OPTION_TABLE);
    const passed = names.filter((name) => messageOf({ [name]: wrong }) === undefined);
    expect(passed).toEqual([]);
  });

  it.each(["model", "resume", "title", "agent", "cwd", "cliPath"])(
    "is named by its type only in the string option %s, because the value may be a secret",
    (name) => {
      const secret = 73_110_044;
      const types: [unknown, string][] = [
        [secret, "a number"],
        [[String(secret)], "an array"],
        [{ [name]: String(secret) }, "an object"],
        [() => secret, "a function"],
        [null, "null"],
        [true, "true"],
      ];
      for (const [value, type] of types) {
        const message = `must be a string, not ${type}`;
        expect(invalid({ [name]: value })).toMatchObject({
          message: `${name} ${message}.`,
          hint: `Change \`${name}\`, or leave it out.`,
          issues: [{ path: name, message }],
        });
      }
    },
  );

  it("is named by its type if it is a number or a fixed word of more than 40 characters", () => {
    const long = "x".repeat(41);
    expect(messageOf({ maxTurns: long })).toBe(
      "maxTurns must be an integer of at least 1, not a string.",
    );
    expect(messageOf({ settingSources: [long] })).toBe(
      'settingSources[0] must be one of "user", "project", "local", not a string.',
    );
  });

  it("is never repeated in the message, because it may be a secret", () => {
    const canary = "canary-5d1f\n";
    const names = Object.keys(OPTION_TABLE);
    const printed = names.map((name) => JSON.stringify(invalid({ [name]: { [name]: canary } })));
    expect(printed.filter((text) => text?.includes("canary"))).toEqual([]);
    expect(JSON.stringify(invalid({ mcpServers: `{"a": "${canary}` }))).not.toContain("canary");
    expect(JSON.stringify(invalid({ settings: `{"a": "${canary}` }))).not.toContain("canary");
  });
});

describe("options that contradict", () => {
  const canUseTool = () => null;
  const sessionStore = { append: async () => {}, load: async () => null };
  it.each<[unknown, string]>([
    [{ canUseTool, permissionPromptToolName: "mcp__a__b" }, "canUseTool contradicts"],
    [{ continue: true, resume: UUID }, "continue contradicts resume"],
    [{ sessionId: UUID, resume: UUID }, "sessionId contradicts"],
    [{ sessionId: UUID, continue: true }, "sessionId contradicts"],
    [{ forkSession: true }, "forkSession has nothing to fork"],
    [{ resumeSessionAt: UUID }, "resumeSessionAt needs resume"],
    [{ resumeSessionAt: UUID, continue: true }, "resumeSessionAt needs resume"],
    [{ resume: UUID, resumeDropsTurn: UUID }, "resumeDropsTurn needs resumeSessionAt"],
    [{ sessionStore, persistSession: false }, "sessionStore contradicts"],
    [{ projectKey: "a" }, "projectKey needs sessionStore"],
    [{ sessionStore, projectKey: "../a" }, "projectKey must be a text of letters"],
    [{ onStoreFailure: "end" }, "onStoreFailure needs sessionStore"],
    [{ renewWithinMs: 5_000, recover: true }, "renewWithinMs contradicts recover"],
    [
      { renewWithinMs: 5_000, spawnClaudeCodeProcess: canUseTool },
      "renewWithinMs contradicts spawn",
    ],
    [{ renewWithinMs: 999 }, "renewWithinMs must be a number of milliseconds from 1000"],
    [
      { renewWithinMs: Number.POSITIVE_INFINITY },
      "renewWithinMs must be a number of milliseconds from 1000",
    ],
    [{ cliPath: "/a", pathToClaudeCodeExecutable: "/b" }, "cliPath contradicts"],
    [{ apiKey: "a", oauthToken: "b" }, "apiKey contradicts oauthToken"],
    [
      { schema: SCHEMA, outputFormat: { type: "json_schema", schema: SCHEMA } },
      "schema contradicts",
    ],
    [{ verbatimPrompts: true, literalPrompt: false }, "verbatimPrompts contradicts"],
    [{ trustProject: false, settingSources: ["project"] }, "trustProject is false and contradicts"],
  ])("are refused: %j", (options, message) => {
    expect(messageOf(options)).toContain(message);
  });

  it.each<[Options]>([
    [{ sessionId: UUID, resume: UUID, forkSession: true }],
    [{ continue: false, resume: UUID }],
    [{ cliPath: "/a", pathToClaudeCodeExecutable: "/a" }],
    [{ forkSession: false }],
    [{ onStoreFailure: "report" }],
    [{ thinking: { type: "adaptive" }, maxThinkingTokens: 5 }],
    [{ signal: new AbortController().signal, abortController: new AbortController() }],
    [{ permissionMode: "bypassPermissions" }],
  ])("are not confused with similar ones: %j", (options) => {
    expect(messageOf(options)).toBeUndefined();
  });
});

describe("extraArgs", () => {
  it.each([
    "model",
    "allowedTools",
    "allowed-tools",
    "output-format",
    "verbose",
    "print",
    "p",
    "permission-mode",
    "dangerously-skip-permissions",
    "settings",
    "mcp-config",
    "json-schema",
    "system-prompt",
    "betas",
    "add-dir",
    "await-initialize",
    "resume",
  ])("may not repeat --%s", (name) => {
    expect(messageOf({ extraArgs: { [name]: null } })).toBe(
      `extraArgs.${name} repeats a flag that is set here.`,
    );
  });

  it.each(["--model", "-p", "a=b", "a b", ""])("may not be called %j", (name) => {
    expect(messageOf({ extraArgs: { [name]: null } })).toContain("is not the name of a flag");
  });

  it("names the option to use instead", () => {
    expect(invalid({ extraArgs: { model: "x" } })?.hint).toBe("Use the option `model`.");
  });
});
