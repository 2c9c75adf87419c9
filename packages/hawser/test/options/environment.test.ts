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

describe("the environment", () => {
  it("is inherited, less NODE_OPTIONS", () => {
    const env = { A: "1", EMPTY: "", GONE: undefined, NODE_OPTIONS: "--inspect" };
    expect(envOf({}, env)).toEqual({ A: "1", EMPTY: "", ...OURS });
  });

  it("is merged with what is given; undefined removes", () => {
    const env = { A: "1", B: "2" };
    const given = { A: "3", B: undefined, NODE_OPTIONS: "--max-old-space-size=100" };
    expect(envOf({ env: given }, env)).toEqual({
      A: "3",
      NODE_OPTIONS: "--max-old-space-size=100",
      ...OURS,
    });
  });

  it("can be cut to nothing, or to a list", () => {
    const env = { A: "1", B: "2" };
    expect(envOf({ inheritEnv: false, env: { C: "3" } }, env)).toEqual({ C: "3", ...OURS });
    expect(envOf({ inheritEnv: ["B", "X"] }, env)).toEqual({ B: "2", ...OURS });
  });

  it("keeps an identity that is set already, inherited or given", () => {
    const sdk = { CLAUDE_CODE_ENTRYPOINT: "sdk-py" };
    expect(envOf({}, sdk)).toEqual({ ...OURS, ...sdk });
    expect(envOf({ env: sdk }, {})).toEqual({ ...OURS, ...sdk });
  });

  it("keeps a number of retries that is set already, and the option wins over it", () => {
    const env = { CLAUDE_CODE_MAX_RETRIES: "7" };
    expect(envOf({}, env)).toEqual({ ...OURS, CLAUDE_CODE_MAX_RETRIES: "7" });
    expect(envOf({ fallbackModel: "haiku" }, env)).toEqual({ ...OURS, ...env });
    const option = envOf({ retry: { cliRetries: 0 } }, env);
    expect(option).toEqual({ ...OURS, CLAUDE_CODE_MAX_RETRIES: "0" });
  });

  it("joins betas with those that are set already", () => {
    const env = { ANTHROPIC_BETAS: "a-1, b-2" };
    expect(envOf({ betas: ["b-2", "c-3"] }, env)["ANTHROPIC_BETAS"]).toBe("a-1,b-2,c-3");
    expect(envOf({ betas: ["context-1m-2025-08-07"] }, env)["ANTHROPIC_BETAS"]).toBe("a-1, b-2");
  });

  it("has one credential: the one that is given", () => {
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

  it("lists its secrets for the mask", () => {
    const env = { DB_PASSWORD: "canary-1", LANG: "C", EMPTY_TOKEN: "" };
    const options = { apiKey: "canary-2", env: { MY_SECRET: "canary-3" } };
    const { secrets } = buildInvocation(options, NEWEST, { ...HOST, env });
    expect(secrets).toEqual(["canary-1", "canary-3", "canary-2"]);
  });
});

describe("a nested session", () => {
  it("leaves no trace of the outer one", () => {
    expect(envOf({}, { A: "1", ...NESTED })).toEqual({ A: "1", ...OURS });
  });

  it("leaves what is no trace when there is no outer one", () => {
    const { CLAUDECODE: _, ...rest } = NESTED;
    expect(envOf({}, rest)).toEqual({
      ...OURS,
      AI_AGENT: "claude-code_2-1-325_agent",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      CLAUDE_EFFORT: "high",
    });
  });

  it("inherits all if asked so", () => {
    expect(envOf({ nested: "inherit" }, NESTED)).toEqual({ ...OURS, ...NESTED });
  });

  it.each(["1", ""])("is refused if asked so, with CLAUDECODE=%j", (CLAUDECODE) => {
    const error = refusalOf({ nested: "error" }, NEWEST, { ...HOST, env: { CLAUDECODE } });
    expect(error?.code).toBe("nested_session");
  });

  it("is not refused where there is none", () => {
    expect(refusalOf({ nested: "error" })).toBeUndefined();
  });

  it("keeps what the caller sets on purpose", () => {
    expect(envOf({ env: { CLAUDECODE: "1" } }, {})["CLAUDECODE"]).toBe("1");
  });
});

describe("the environment on Windows", () => {
  it("knows no upper and lower case", () => {
    const env = { Path: "C:\\a", ClaudeCode: "1", node_options: "x", Anthropic_Api_Key: "k" };
    const options = { env: { PATH: "C:\\b" }, oauthToken: "new" };
    expect(envOf(options, env, "win32")).toEqual({
      PATH: "C:\\b",
      CLAUDE_CODE_OAUTH_TOKEN: "new",
      NoDefaultCurrentDirectoryInExePath: "1",
      ...OURS,
    });
  });

  it("takes private files to a Windows path", () => {
    const host: HostFacts = { ...HOST, platform: "win32", privateDir: "C:\\Temp\\hawser-1" };
    const { files } = buildInvocation({ mcpServers: { a: { command: "x" } } }, NEWEST, host);
    expect(files.map(({ path }) => path)).toEqual(["C:\\Temp\\hawser-1\\mcp.json"]);
  });
});
