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

describe("what the source systems asked for by a flag that never worked", () => {
  it.each(NEVER_KNOWN)("is not asked for by %s", (flag) => {
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
  ])("is asked for by a way that works, in place of %s", (_, options, adds) => {
    expect(added(options)).toEqual(adds);
  });
});

describe("what the source systems sent in a way that went wrong", () => {
  it("an empty list of tools means none, not all", () => {
    expect(added({ tools: [] })).toEqual({ flags: ["--tools="] });
  });

  it("betas are not joined by a comma: the CLI would take them for one name", () => {
    const betas = ["context-1m-2025-08-07", "context-1m-2025-08-07"];
    expect(added({ betas })).toEqual({ flags: ["--betas=context-1m-2025-08-07"] });
  });

  it("adaptive thinking is asked for by its name, not by 32000 tokens", () => {
    expect(added({ thinking: { type: "adaptive" } })).toEqual({ flags: ["--thinking=adaptive"] });
  });

  it("no system prompt is not an empty system prompt", () => {
    expect(buildInvocation({}, NEWEST, HOST).initialize).toEqual({ subtype: "initialize" });
    expect(added({ systemPrompt: "" })).toEqual({ initialize: { systemPrompt: [""] } });
  });

  it("setting sources are the CLI's own choice unless they are given", () => {
    expect(flags.filter((flag) => flag === "--setting-sources")).toHaveLength(2);
    expect(added({})).toEqual({});
  });

  it("the permission mode is sent every time: its default is not the same in every version", () => {
    const modes = everything.map(({ argv }) =>
      argv.filter((token) => token.startsWith("--permission-mode=")),
    );
    expect(modes.filter((list) => list.length !== 1)).toEqual([]);
  });

  it("a value never stands where a flag could swallow it, or become one", () => {
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

  it("a session is resumed by --resume; --session-id is for new ones", () => {
    const id = "11111111-2222-4333-8444-555555555555";
    expect(added({ resume: id })).toEqual({ flags: [`--resume=${id}`] });
    expect(added({ sessionId: id })).toEqual({ flags: [`--session-id=${id}`] });
  });

  it("MCP servers stand in no settings file of the workspace", () => {
    const { files } = buildInvocation(
      { mcpServers: { a: { command: "x" } }, cwd: "/w" },
      NEWEST,
      HOST,
    );
    expect(files.map(({ path }) => path)).toEqual(["/tmp/hawser-1/mcp.json"]);
  });

  it("a model alias is passed through unless there is a table for it", () => {
    expect(added({ model: "opus" })).toEqual({ flags: ["--model=opus"] });
    const modelAliases = { opus: "claude-opus-4-6" };
    expect(added({ model: "opus", modelAliases })).toEqual({ flags: ["--model=claude-opus-4-6"] });
    expect(added({ model: "toString", modelAliases })).toEqual({ flags: ["--model=toString"] });
  });
});
