import { describe, expect, it } from "vitest";
import { buildInvocation, type HostFacts, type Options } from "../../src/options/index.js";
import { HOST, NEWEST } from "./facts.helper.js";
import { refusalOf } from "./refusal.helper.js";

function envOf(options: Options, env: HostFacts["env"], platform: NodeJS.Platform = "linux") {
  return buildInvocation(options, NEWEST, { ...HOST, env, platform }).env;
}

const OURS = {
  CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
  CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
};

/** What the CLI really gives the commands it runs. */
const NESTED = {
  AI_AGENT: "claude-code_2-1-325_agent",
  CLAUDECODE: "1",
  CLAUDE_CODE_CHILD_SESSION: "1",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  CLAUDE_CODE_EXECPATH: "/usr/bin/claude",
  CLAUDE_CODE_MESSAGING_SOCKET: "/tmp/s",
  CLAUDE_CODE_MESSAGING_TOKEN: "t",
  CLAUDE_CODE_SESSION_ATTENDED: "0",
  CLAUDE_CODE_SESSION_ID: "s",
  CLAUDE_EFFORT: "high",
  CLAUDE_PID: "5",
};

describe("the environment of the CLI", () => {
  it("is inherited without NODE_OPTIONS", () => {
    const env = { A: "1", EMPTY: "", GONE: undefined, NODE_OPTIONS: "--inspect" };
    expect(envOf({}, env)).toEqual({ A: "1", EMPTY: "", ...OURS });
  });

  it("is merged with env, where undefined removes a variable", () => {
    const env = { A: "1", B: "2" };
    const given = { A: "3", B: undefined, NODE_OPTIONS: "--max-old-space-size=100" };
    expect(envOf({ env: given }, env)).toEqual({
      A: "3",
      NODE_OPTIONS: "--max-old-space-size=100",
      ...OURS,
    });
  });

  it("inherits no variable with inheritEnv: false, and only the listed ones with a list", () => {
    const env = { A: "1", B: "2" };
    expect(envOf({ inheritEnv: false, env: { C: "3" } }, env)).toEqual({ C: "3", ...OURS });
    expect(envOf({ inheritEnv: ["B", "X"] }, env)).toEqual({ B: "2", ...OURS });
  });

  it("keeps a CLAUDE_CODE_ENTRYPOINT that is already set, inherited or in env", () => {
    const sdk = { CLAUDE_CODE_ENTRYPOINT: "sdk-py" };
    expect(envOf({}, sdk)).toEqual({ ...OURS, ...sdk });
    expect(envOf({ env: sdk }, {})).toEqual({ ...OURS, ...sdk });
  });

  it("keeps a CLAUDE_CODE_MAX_RETRIES that is already set, unless the option is given", () => {
    const env = { CLAUDE_CODE_MAX_RETRIES: "7" };
    expect(envOf({}, env)).toEqual({ ...OURS, CLAUDE_CODE_MAX_RETRIES: "7" });
    expect(envOf({ fallbackModel: "haiku" }, env)).toEqual({ ...OURS, ...env });
    const option = envOf({ retry: { cliRetries: 0 } }, env);
    expect(option).toEqual({ ...OURS, CLAUDE_CODE_MAX_RETRIES: "0" });
  });

  it("adds betas to an ANTHROPIC_BETAS that is already set", () => {
    const env = { ANTHROPIC_BETAS: "a-1, b-2" };
    expect(envOf({ betas: ["b-2", "c-3"] }, env)["ANTHROPIC_BETAS"]).toBe("a-1,b-2,c-3");
    expect(envOf({ betas: ["context-1m-2025-08-07"] }, env)["ANTHROPIC_BETAS"]).toBe("a-1, b-2");
  });

  it("has only the credential that is given", () => {
    const env = {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_AUTH_TOKEN: "t",
      CLAUDE_CODE_OAUTH_TOKEN: "o",
      CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR: "3",
    };
    expect(envOf({}, env)).toEqual({ ...env, ...OURS });
    expect(envOf({ apiKey: "new" }, env)).toEqual({ ANTHROPIC_API_KEY: "new", ...OURS });
    expect(envOf({ oauthToken: "new" }, env)).toEqual({ CLAUDE_CODE_OAUTH_TOKEN: "new", ...OURS });
  });

  it("lists its secrets, which are masked", () => {
    const env = { DB_PASSWORD: "canary-1", LANG: "C", EMPTY_TOKEN: "" };
    const options = { apiKey: "canary-2", env: { MY_SECRET: "canary-3" } };
    const { secrets } = buildInvocation(options, NEWEST, { ...HOST, env });
    expect(secrets).toEqual(["canary-1", "canary-3", "canary-2"]);
  });
});

describe("a nested session", () => {
  it("removes the variables of the outer session", () => {
    expect(envOf({}, { A: "1", ...NESTED })).toEqual({ A: "1", ...OURS });
  });

  it("removes nothing if there is no outer session", () => {
    const { CLAUDECODE: _, ...rest } = NESTED;
    expect(envOf({}, rest)).toEqual({
      ...OURS,
      AI_AGENT: "claude-code_2-1-325_agent",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      CLAUDE_EFFORT: "high",
    });
  });

  it('inherits every variable with nested: "inherit"', () => {
    expect(envOf({ nested: "inherit" }, NESTED)).toEqual({ ...OURS, ...NESTED });
  });

  it.each(["1", ""])('is refused with nested: "error" and CLAUDECODE=%j', (CLAUDECODE) => {
    const error = refusalOf({ nested: "error" }, NEWEST, { ...HOST, env: { CLAUDECODE } });
    expect(error?.code).toBe("nested_session");
  });

  it("is not refused without an outer session", () => {
    expect(refusalOf({ nested: "error" })).toBeUndefined();
  });

  it("keeps variables that the caller sets in env", () => {
    expect(envOf({ env: { CLAUDECODE: "1" } }, {})["CLAUDECODE"]).toBe("1");
  });
});

describe("the environment on Windows", () => {
  it("ignores case", () => {
    const env = { Path: "C:\\a", ClaudeCode: "1", node_options: "x", Anthropic_Api_Key: "k" };
    const options = { env: { PATH: "C:\\b" }, oauthToken: "new" };
    expect(envOf(options, env, "win32")).toEqual({
      PATH: "C:\\b",
      CLAUDE_CODE_OAUTH_TOKEN: "new",
      NoDefaultCurrentDirectoryInExePath: "1",
      ...OURS,
    });
  });

  it("has private files at a Windows path", () => {
    const host: HostFacts = { ...HOST, platform: "win32", privateDir: "C:\\Temp\\hawser-1" };
    const { files } = buildInvocation({ mcpServers: { a: { command: "x" } } }, NEWEST, host);
    expect(files.map(({ path }) => path)).toEqual(["C:\\Temp\\hawser-1\\mcp.json"]);
  });
});
