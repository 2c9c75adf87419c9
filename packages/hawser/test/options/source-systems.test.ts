import { describe, expect, it } from "vitest";
import { buildInvocation, type Options } from "../../src/options/index.js";
import { CASES } from "./cases.helper.js";
import { added, HOST, NEWEST } from "./facts.helper.js";

/** Flags that the source systems send and no version of the CLI ever knew. */
const NEVER_KNOWN = [
  "--tools-preset",
  "--mcp-servers",
  "--user",
  "--setting-source",
  "--sandbox",
  "--output-format-schema",
  "--beta",
  "--enable-file-checkpointing",
];

const everything = Object.values(CASES)
  .flat()
  .map(({ options }) => buildInvocation(options, NEWEST, HOST));
const flags = everything.flatMap(({ argv }) => argv.map((token) => token.split("=")[0] ?? ""));

describe("an option of the source systems whose flag never worked", () => {
  it.each(NEVER_KNOWN)("is not passed as %s", (flag) => {
    expect(flags).not.toContain(flag);
  });

  it.each<[string, Options, object]>([
    ["--tools-preset", CASES.tools[2]?.options ?? {}, { flags: ["--tools=default"] }],
    ["--setting-source", { settingSources: ["user"] }, { flags: ["--setting-sources=user"] }],
    [
      "--enable-file-checkpointing",
      { enableFileCheckpointing: true },
      { env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" } },
    ],
    [
      "--output-format-schema",
      { outputFormat: { type: "json_schema", schema: { type: "object" } } },
      { initialize: { jsonSchema: { type: "object" } } },
    ],
    [
      "--sandbox",
      { sandbox: { enabled: true } },
      { flags: ["--settings", '{"sandbox":{"enabled":true,"failIfUnavailable":true}}'] },
    ],
    ["--beta", { betas: ["any-2025-01-01"] }, { env: { ANTHROPIC_BETAS: "any-2025-01-01" } }],
    ["--user", { user: "nobody" }, {}],
  ])("is passed in a way that works, in place of %s", (_, options, adds) => {
    expect(added(options)).toEqual(adds);
  });
});

describe("an option that the source systems passed wrongly", () => {
  it("tools: [] means no tools, not all", () => {
    expect(added({ tools: [] })).toEqual({ flags: ["--tools="] });
  });

  it("betas are not joined by a comma, because the CLI would take them for one name", () => {
    const betas = ["context-1m-2025-08-07", "context-1m-2025-08-07"];
    expect(added({ betas })).toEqual({ flags: ["--betas=context-1m-2025-08-07"] });
  });

  it("adaptive thinking is passed by its name, not as 32000 tokens", () => {
    expect(added({ thinking: { type: "adaptive" } })).toEqual({ flags: ["--thinking=adaptive"] });
  });

  it("an absent systemPrompt is not passed as an empty one", () => {
    expect(buildInvocation({}, NEWEST, HOST).initialize).toEqual({ subtype: "initialize" });
    expect(added({ systemPrompt: "" })).toEqual({ initialize: { systemPrompt: [""] } });
  });

  it("settingSources is passed only if it is given", () => {
    expect(flags.filter((flag) => flag === "--setting-sources")).toHaveLength(2);
    expect(added({})).toEqual({});
  });

  it("permissionMode is always passed, because its default differs between versions", () => {
    const modes = everything.map(({ argv }) =>
      argv.filter((token) => token.startsWith("--permission-mode=")),
    );
    expect(modes.filter((list) => list.length !== 1)).toEqual([]);
  });

  it("a value cannot be swallowed by a flag or become one", () => {
    const two = [
      "--output-format",
      "--input-format",
      "--mcp-config",
      "--settings",
      "--managed-settings",
    ];
    for (const { options } of Object.values(CASES).flat()) {
      if (options.extraArgs !== undefined) continue;
      const { argv } = buildInvocation(options, NEWEST, HOST);
      const values = argv.filter(
        (token, i) => !token.startsWith("--") && !two.includes(argv[i - 1] ?? ""),
      );
      expect(values).toEqual([]);
    }
    expect(added({ model: "--verbose" })).toEqual({ flags: ["--model=--verbose"] });
  });

  it("the prompt, --print and the variable CLAUDE_SDK are not sent at all", () => {
    expect(flags.filter((flag) => ["--print", "-p"].includes(flag))).toEqual([]);
    expect(everything.filter(({ env }) => "CLAUDE_SDK" in env)).toEqual([]);
  });

  it("a session is resumed by --resume, and --session-id is for new sessions", () => {
    const id = "11111111-2222-4333-8444-555555555555";
    expect(added({ resume: id })).toEqual({ flags: [`--resume=${id}`] });
    expect(added({ sessionId: id })).toEqual({ flags: [`--session-id=${id}`] });
  });

  it("MCP servers are not written to a settings file of the workspace", () => {
    const { files } = buildInvocation(
      { mcpServers: { a: { command: "x" } }, cwd: "/w" },
      NEWEST,
      HOST,
    );
    expect(files.map(({ path }) => path)).toEqual(["/tmp/hawser-1/mcp.json"]);
  });

  it("a model alias is passed on unless modelAliases has it", () => {
    expect(added({ model: "opus" })).toEqual({ flags: ["--model=opus"] });
    const modelAliases = { opus: "claude-opus-4-6" };
    expect(added({ model: "opus", modelAliases })).toEqual({ flags: ["--model=claude-opus-4-6"] });
    expect(added({ model: "toString", modelAliases })).toEqual({ flags: ["--model=toString"] });
  });
});
