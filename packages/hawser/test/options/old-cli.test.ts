import { describe, expect, it } from "vitest";
import {
  buildInvocation,
  type CliFacts,
  OPTION_TABLE,
  type Options,
  parseVersion,
} from "../../src/options/index.js";
import { CASES } from "./cases.helper.js";
import { added, FIXED, HOST, OLDER } from "./facts.helper.js";
import { refusalOf } from "./refusal.helper.js";

const cli = (text: string): CliFacts => ({ path: "/usr/bin/claude", version: parseVersion(text) });

describe("an option that the CLI is too old for", () => {
  const options: Options = { permissionPrompts: "none", maxTurns: 3 };

  it("is an error that names the option and both versions", () => {
    const error = refusalOf(options, OLDER);
    expect({ ...error, message: error?.message }).toEqual({
      code: "unsupported_by_cli",
      message: "permissionPrompts needs Claude Code 2.1.259 or newer; this one is 2.1.197.",
      hint: 'Update the CLI, leave the option out, or set `onOldCli` to "warn".',
      retryable: false,
      cliPath: "/usr/bin/claude",
      cliVersion: "2.1.197",
      issues: [{ path: "permissionPrompts", message: "needs 2.1.259" }],
    });
  });

  it('is left out with a warning with onOldCli: "warn"', () => {
    const { argv, warnings } = buildInvocation({ ...options, onOldCli: "warn" }, OLDER, HOST);
    expect(argv).toEqual([...FIXED, "--max-turns=3", "--permission-mode=default"]);
    expect(warnings).toEqual([
      "permissionPrompts needs Claude Code 2.1.259 or newer; this one is 2.1.197: it is left out.",
    ]);
  });

  it('is left out silently with onOldCli: "ignore"', () => {
    const { argv, warnings } = buildInvocation({ ...options, onOldCli: "ignore" }, OLDER, HOST);
    expect(argv).toEqual([...FIXED, "--max-turns=3", "--permission-mode=default"]);
    expect(warnings).toEqual([]);
  });

  it("is no error if it has no effect", () => {
    const nothing: Options = {
      promptSuggestions: false,
      persistSession: true,
      plugins: [],
      agents: {},
      betas: [],
      pluginDelivery: "argv",
      verbatimPrompts: false,
      strictMcpConfig: false,
    };
    expect(added(nothing, cli("2.0.0"))).toEqual({});
  });

  it.each(
    Object.entries(OPTION_TABLE).flatMap(([name, { since }]) =>
      since !== undefined && !/^1\.|^2\.0\.0$/.test(since) ? [[name, since] as const] : [],
    ),
  )("%s is known to be one before %s", (name, since) => {
    const [major, minor, patch] = parseVersion(since) ?? [0, 0, 0];
    const before: CliFacts = { path: "/c", version: [major, minor, patch - 1] };
    const used = CASES[name as keyof Options].filter(
      ({ options: given, adds }) => Object.keys(adds).length > 0 || name in given,
    );
    const errors = used.map((each) => refusalOf(each.options, before)?.code);
    expect(errors).toContain("unsupported_by_cli");
  });
});

describe("buildInvocation() for a CLI", () => {
  it("before 2.0.0 is always an error", () => {
    expect(refusalOf({}, cli("1.0.128"))?.message).toBe(
      "hawser needs Claude Code 2.0.0 or newer; this one is 1.0.128.",
    );
    const { warnings } = buildInvocation({ onOldCli: "warn" }, cli("1.0.128"), HOST);
    expect(warnings).toEqual([
      "hawser needs Claude Code 2.0.0 or newer; this one is 1.0.128: it may not work.",
    ]);
  });

  it("of unknown version is treated as a new one, with a warning", () => {
    const { argv, warnings } = buildInvocation({ permissionPrompts: "none" }, cli("invalid"), HOST);
    expect(argv.at(-1)).toBe("--permission-prompts=none");
    expect(warnings).toEqual([
      "The version of the CLI is unknown, so it may not support every option in use.",
    ]);
  });

  it("that is a script uses the current runtime, or executable", () => {
    const script: CliFacts = { path: "/lib/cli.js", version: [2, 1, 100], script: true };
    const flags = [...FIXED, "--permission-mode=default"];
    const plain = buildInvocation({}, script, HOST);
    expect([plain.file, plain.argv]).toEqual(["/usr/bin/node", ["/lib/cli.js", ...flags]]);
    const options = { executable: "bun", executableArgs: ["--smol"] };
    const { file, argv, warnings } = buildInvocation(options, script, HOST);
    expect([file, argv, warnings]).toEqual(["bun", ["--smol", "/lib/cli.js", ...flags], []]);
  });

  it("that is no script leaves executableArgs out, with a warning", () => {
    const { file, argv, warnings } = buildInvocation({ executableArgs: ["--smol"] }, OLDER, HOST);
    expect([file, argv]).toEqual(["/usr/bin/claude", [...FIXED, "--permission-mode=default"]]);
    expect(warnings).toEqual([
      "executableArgs is ignored: this CLI is not a script and needs no runtime.",
    ]);
  });
});

describe("the thinking option", () => {
  it.each<[Options, string]>([
    [{ thinking: { type: "adaptive" } }, "--max-thinking-tokens=32000"],
    [{ thinking: { type: "enabled" } }, "--max-thinking-tokens=32000"],
    [{ thinking: { type: "enabled", budgetTokens: 5 } }, "--max-thinking-tokens=5"],
    [{ thinking: { type: "disabled" } }, "--max-thinking-tokens=0"],
    [{ maxThinkingTokens: 0 }, "--max-thinking-tokens=0"],
    [{ maxThinkingTokens: 7 }, "--max-thinking-tokens=7"],
    [{ maxThinkingTokens: 7, thinking: { type: "disabled" } }, "--max-thinking-tokens=0"],
    [{ maxThinkingTokens: 5000, thinking: { type: "adaptive" } }, "--max-thinking-tokens=5000"],
    [{ maxThinkingTokens: 5000, thinking: { type: "enabled" } }, "--max-thinking-tokens=5000"],
    [{ maxThinkingTokens: 0, thinking: { type: "adaptive" } }, "--max-thinking-tokens=32000"],
  ])("is passed by the older flag before 2.1.47: %j", (options, flag) => {
    expect(added(options, cli("2.1.46"))).toEqual({ flags: [flag] });
  });

  it.each<[Options, string[]]>([
    [{ thinking: { type: "adaptive" }, maxThinkingTokens: 5 }, []],
    [{ thinking: { type: "disabled" }, maxThinkingTokens: 0 }, []],
    [{ thinking: { type: "enabled", budgetTokens: 5 }, maxThinkingTokens: 5 }, []],
    [
      { thinking: { type: "adaptive" }, maxThinkingTokens: 0 },
      ["maxThinkingTokens 0 is left out: thinking says adaptive."],
    ],
    [
      { thinking: { type: "disabled" }, maxThinkingTokens: 5 },
      ["maxThinkingTokens 5 is left out: thinking says disabled."],
    ],
    [
      { thinking: { type: "enabled", budgetTokens: 9 }, maxThinkingTokens: 5 },
      ["maxThinkingTokens 5 is left out: thinking says enabled with 9 tokens."],
    ],
  ])("warns about a number that it overrides: %j", (options, warnings) => {
    expect(buildInvocation(options, cli("2.1.46"), HOST).warnings).toEqual(warnings);
    expect(buildInvocation(options, cli("2.1.325"), HOST).warnings).toEqual(warnings);
  });

  it("is refused with display if the CLI does not know display", () => {
    const thinking = { type: "adaptive", display: "omitted" } as const;
    expect(refusalOf({ thinking }, cli("2.1.93"))?.message).toContain("thinking.display needs");
  });
});

describe("systemPrompt", () => {
  const OLD = cli("2.1.109");
  const PROMPT = "/tmp/hawser-1/system-prompt.txt";
  const APPENDIX = "/tmp/hawser-1/append-system-prompt.txt";

  it("is passed in a file before 2.1.110, which ignores the list", () => {
    expect(added({ systemPrompt: "X" }, OLD)).toEqual({
      flags: [`--system-prompt-file=${PROMPT}`],
      files: { [PROMPT]: "X" },
    });
    expect(added({ systemPrompt: "X" }, cli("2.1.110"))).toEqual({
      initialize: { systemPrompt: ["X"] },
    });
  });

  it("in parts is joined for that CLI, without the boundary", () => {
    const systemPrompt = ["A", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "B"];
    expect(added({ systemPrompt }, OLD).files).toEqual({ [PROMPT]: "A\n\nB" });
  });

  it("that is empty is passed as an empty flag", () => {
    expect(added({ systemPrompt: "" }, OLD)).toEqual({ flags: ["--system-prompt="] });
  });

  it("that is appended is passed in a file too", () => {
    const systemPrompt = { preset: "claude_code", append: "more" } as const;
    expect(added({ systemPrompt }, OLD)).toEqual({
      flags: [`--append-system-prompt-file=${APPENDIX}`],
      files: { [APPENDIX]: "more" },
    });
    expect(refusalOf({ systemPrompt }, cli("2.0.32"))?.code).toBe("unsupported_by_cli");
  });
});

describe("an option that an older CLI ignores", () => {
  const block = { hooks: { Stop: [{ hooks: [() => ({})], onFailure: "block" }] } } as const;

  it("is refused if it is hooks.onFailure", () => {
    expect(refusalOf(block, OLDER)?.message).toContain("hooks.onFailure needs");
  });

  it('is a warning with onOldCli: "warn", and the hook stays', () => {
    const { initialize, warnings } = buildInvocation({ ...block, onOldCli: "warn" }, OLDER, HOST);
    expect(initialize.hooks).toEqual({ Stop: [{ hookCallbackIds: ["hook_0"] }] });
    expect(warnings).toEqual([
      "hooks.onFailure needs Claude Code 2.1.317 or newer; this one is 2.1.197: a hook that throws blocks nothing.",
    ]);
  });

  it("is refused if it is a sandbox with failIfUnavailable", () => {
    const sandbox = { enabled: true };
    expect(refusalOf({ sandbox }, cli("2.1.82"))?.message).toContain("sandbox.failIfUnavailable");
    const warned = buildInvocation({ sandbox, onOldCli: "warn" }, cli("2.1.82"), HOST);
    expect(warned.argv.at(-1)).toContain('"sandbox"');
    expect(warned.warnings).toHaveLength(1);
    const open = { enabled: true, failIfUnavailable: false };
    expect(refusalOf({ sandbox: open }, cli("2.1.82"))).toBeUndefined();
  });

  it("is refused if it is a rule that defers", () => {
    const rules = [{ tool: "Bash", decision: "defer" }] as const;
    expect(refusalOf({ rules }, cli("2.1.88"))).toMatchObject({
      code: "unsupported_by_cli",
      message: expect.stringContaining("needs Claude Code 2.1.89"),
    });
    expect(refusalOf({ rules }, cli("2.1.89"))).toBeUndefined();
    expect(
      refusalOf({ rules: [{ tool: "Bash", decision: "ask" }] }, cli("2.1.88")),
    ).toBeUndefined();
    const warned = buildInvocation({ rules, onOldCli: "warn" }, cli("2.1.88"), HOST);
    expect(warned.warnings[0]).toContain("such calls are denied");
  });

  it("is refused if it is a policy that would be on the command line", () => {
    const managedSettings = { env: { A_TOKEN: "canary" } };
    expect(refusalOf({ managedSettings }, OLDER)?.code).toBe("unsupported_by_cli");
  });
});

describe("sessionStore with resume on a CLI that cannot find its login in another folder", () => {
  const sessionStore = { append: async () => {}, load: async () => null };
  /** As openSession() passes it on when the store has the session. */
  const env = { CLAUDE_SECURESTORAGE_CONFIG_DIR: "" };
  const options: Options = { sessionStore, env, configDir: "/tmp/made" };
  const nothing = { ...HOST, env: {} };

  it("is unsupported_by_cli without a credential", () => {
    const build = () => buildInvocation(options, cli("2.1.143"), nothing);
    expect(build).toThrow(/without `apiKey` or `oauthToken`, needs Claude Code 2\.1\.144/);
    expect(buildInvocation(options, cli("2.1.144"), nothing).env).toMatchObject(env);
  });

  it.each<[string, Options]>([
    ["apiKey", { apiKey: "sk-made-up" }],
    ["oauthToken", { oauthToken: "made-up" }],
    ["ANTHROPIC_AUTH_TOKEN", { env: { ...env, ANTHROPIC_AUTH_TOKEN: "made-up" } }],
    ["CLAUDE_CODE_USE_BEDROCK", { env: { ...env, CLAUDE_CODE_USE_BEDROCK: "1" } }],
  ])("works with %s", (_, more) => {
    const { argv } = buildInvocation({ ...options, ...more }, cli("2.1.113"), nothing);
    expect(argv).toContain("--session-mirror");
  });
});

describe("what an older CLI accepts and does not keep", () => {
  const plan: Options = { permissionMode: "plan", allowDangerouslySkipPermissions: true };
  const many = Array.from({ length: 1000 }, (_, i) => `Bash(never-${i} *)`);

  it.each<[string, Options, string, string]>([
    ["plan mode in a session that may skip permissions", plan, "2.1.268", "2.1.269"],
    [
      "a deny rule in settings",
      { settings: { permissions: { deny: ["Read"] } } },
      "2.1.68",
      "2.1.69",
    ],
    ["more deny rules than a command line holds", { disallowedTools: many }, "2.1.68", "2.1.69"],
  ])("is refused whatever onOldCli says: %s", (_, options, before, since) => {
    for (const onOldCli of ["error", "warn", "ignore"] as const) {
      const error = refusalOf({ ...options, onOldCli }, cli(before));
      expect(error).toMatchObject({ code: "unsupported_by_cli", cliVersion: before });
      expect(error?.message).toContain(`needs Claude Code ${since} or newer, because`);
      expect(refusalOf({ ...options, onOldCli }, cli(since))).toBeUndefined();
    }
  });

  it("is refused on a CLI of unknown version if the CLI would not show it", () => {
    const unknown: CliFacts = { path: "/usr/bin/claude" };
    expect(refusalOf(plan, unknown)?.code).toBe("unsupported_by_cli");
    expect(refusalOf({ disallowedTools: many }, unknown)).toBeUndefined();
  });

  it("is not refused for rules on the command line", () => {
    expect(refusalOf({ disallowedTools: ["Bash(rm *)"] }, cli("2.0.77"))).toBeUndefined();
  });
});
