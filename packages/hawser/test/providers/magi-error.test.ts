import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ERROR_CODES, type ErrorCode, HawserError } from "../../src/base/index.js";
import { processes } from "../../src/process/index.js";
import {
  ClaudeCliProvider,
  type ClaudeCliProviderOptions,
  type MagiError,
  toMagiError,
} from "../../src/providers/index.js";
import {
  always,
  apiError,
  hang,
  type IsolatedEnvOptions,
  type ReplyScript,
  refusal,
} from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";

beforeEach(() => {
  vi.stubEnv("CLAUDECODE", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

const KINDS: Readonly<Record<ErrorCode, MagiError["kind"]>> = {
  cli_not_found: "Process",
  cli_not_runnable: "Process",
  unsupported_by_cli: "Process",
  not_supported: "Process",
  invalid_options: "Process",
  argument_too_long: "Process",
  cwd_not_found: "Process",
  root_refused: "Process",
  nested_session: "NestedSession",
  spawn_failed: "Process",
  process_exited: "Process",
  closed: "Process",
  already_consumed: "Process",
  protocol_error: "Process",
  message_too_large: "Process",
  control_error: "Process",
  timeout: "Timeout",
  aborted: "Process",
  auth: "Auth",
  billing: "Http",
  rate_limited: "Http",
  usage_limit: "Http",
  overloaded: "Http",
  api_error: "Network",
  model_not_found: "Http",
  prompt_too_long: "Http",
  max_output_tokens: "Process",
  refusal: "Process",
  max_turns: "Process",
  max_budget: "Process",
  structured_output: "Process",
  session_not_found: "Process",
  session_in_use: "Process",
  mcp_failed: "Process",
  pool_closed: "Process",
  pool_full: "Process",
  budget_refused: "Process",
  storage_failed: "Process",
};

describe("toMagiError()", () => {
  it("has a row for every code", () => {
    expect(Object.keys(KINDS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  it.each(Object.entries(KINDS))("of %s is %s", (code, kind) => {
    const error = toMagiError(new HawserError(code as ErrorCode, "the words"));
    expect(error.kind).toBe(kind);
    if (kind !== "NestedSession") expect(Object.values(error)).toContain("the words");
  });

  it.each([
    ["billing", 402],
    ["rate_limited", 429],
    ["usage_limit", 429],
    ["overloaded", 529],
    ["model_not_found", 404],
    ["prompt_too_long", 413],
  ] as const)("of %s without a status has the one that it stands for", (code, status) => {
    const body = ERROR_CODES[code].sentence;
    expect(toMagiError(new HawserError(code))).toEqual({ kind: "Http", status, body });
  });

  it("keeps the status of the API", () => {
    const error = new HawserError("api_error", "bad gateway", { apiStatus: 502 });
    expect(toMagiError(error)).toEqual({ kind: "Http", status: 502, body: "bad gateway" });
  });

  it("keeps the exit code, and what stands on stderr once", () => {
    const facts = { exitCode: 1, stderrTail: "error: bad flag\n" };
    const plain = new HawserError("process_exited", "It ended.", facts);
    expect(toMagiError(plain)).toEqual({
      kind: "Process",
      exitCode: 1,
      stderr: "It ended.\nerror: bad flag\n",
    });
    const telling = new HawserError("process_exited", "It ended: error: bad flag", facts);
    expect(toMagiError(telling)).toMatchObject({ stderr: "It ended: error: bad flag" });
  });

  it.each([
    [new DOMException("late", "TimeoutError"), { kind: "Timeout", message: "late" }],
    [
      Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      { kind: "Network", message: "refused" },
    ],
    [
      new TypeError("fetch failed", { cause: { code: "UND_ERR_SOCKET" } }),
      { kind: "Network", message: "fetch failed" },
    ],
    [
      Object.assign(new Error("spawn"), { code: "ENOENT" }),
      { kind: "Process", exitCode: undefined, stderr: "spawn" },
    ],
    ["a text", { kind: "Process", exitCode: undefined, stderr: "a text" }],
    [undefined, { kind: "Process", exitCode: undefined, stderr: "undefined" }],
  ])("takes what is not of hawser for what it says it is: %s", (error, expected) => {
    expect(toMagiError(error)).toEqual(expected);
  });

  it("takes a code of a later day for a Process error", () => {
    const later = Object.assign(new HawserError("closed", "new"), { code: "brand_new" });
    expect(toMagiError(later)).toEqual({ kind: "Process", exitCode: undefined, stderr: "new" });
  });
});

async function failure(call: () => Promise<string>): Promise<MagiError> {
  try {
    await call();
  } catch (error) {
    expect(processes()).toEqual([]);
    return toMagiError(error);
  }
  throw new Error("it did not fail");
}

describe.each(clisInTurn())("a failure on the real CLI $name", ({ path }) => {
  const extra = { CLAUDE_CODE_MAX_RETRIES: "0" };

  async function failing(
    replies: ReplyScript,
    env: IsolatedEnvOptions = {},
    more: ClaudeCliProviderOptions = {},
  ): Promise<MagiError> {
    const { options } = await world(path, replies, { extra, ...env });
    return failure(() => new ClaudeCliProvider("opus", { ...options, ...more }).complete("s", "u"));
  }

  it("by status 401 is Auth", async () => {
    expect(await failing(always(apiError(401)))).toEqual({
      kind: "Auth",
      message: expect.stringMatching(/\w/),
    });
  });

  it.each([404, 429, 500, 529])("by status %i is Http", async (status) => {
    const error = await failing(always(apiError(status)));
    expect(error).toEqual({ kind: "Http", status, body: expect.stringMatching(/\w/) });
  });

  it("by a missing login is Auth", async () => {
    const noKey = { extra: { ...extra, ANTHROPIC_API_KEY: undefined } };
    expect(await failing([], noKey)).toEqual({
      kind: "Auth",
      message: "Not logged in · Please run /login",
    });
  });

  it("by an API that is not there is Network", async () => {
    const error = await failing([], { baseUrl: "http://127.0.0.1:9" });
    expect(error).toEqual({ kind: "Network", message: expect.stringMatching(/connect/i) });
  });

  it("by a refusal is Process, in the CLI's words", async () => {
    expect(await failing(always(refusal("no")))).toEqual({
      kind: "Process",
      exitCode: undefined,
      stderr: expect.stringContaining("https://www.anthropic.com/legal/aup"),
    });
  });

  it("by a flag that it does not know is Process, with exit code and words", async () => {
    const error = await failing([], {}, { extraArgs: { "no-such-flag": null } });
    expect(error).toEqual({
      kind: "Process",
      exitCode: 1,
      stderr: expect.stringContaining("unknown option '--no-such-flag'"),
    });
  });

  it("by an executable that is missing is Process", async () => {
    const error = await failing([], {}, { cliPath: "/no/such/claude" });
    expect(error).toMatchObject({ kind: "Process", stderr: expect.stringContaining("/no/such") });
  });

  it("by a limit of time is Timeout", async () => {
    const error = await failing(always(hang()), {}, { timeouts: { totalMs: 3000 } });
    expect(error).toEqual({ kind: "Timeout", message: expect.stringContaining("3000 ms") });
  });

  it("by a kill is Process", async () => {
    const { model, options } = await world(path, always(hang()));
    void model
      .waitFor((request) => request.kind === "call")
      .then(() => process.kill(processes()[0]?.pid ?? 0, "SIGKILL"));
    const provider = new ClaudeCliProvider("opus", options);
    expect(await failure(() => provider.complete("s", "u"))).toEqual({
      kind: "Process",
      exitCode: undefined,
      stderr: expect.stringContaining("SIGKILL"),
    });
  });

  it.each([
    ["a time limit", new DOMException("The time is over.", "TimeoutError"), "Timeout"],
    ["anything else", "enough", "Process"],
  ])("by an abort for %s is what the reason says", async (_what, reason, kind) => {
    const { model, options } = await world(path, always(hang()));
    const controller = new AbortController();
    const { signal } = controller;
    void model.waitFor((request) => request.kind === "call").then(() => controller.abort(reason));
    const provider = new ClaudeCliProvider("opus", options);
    expect((await failure(() => provider.complete("s", "u", { signal }))).kind).toBe(kind);
  });
});

describe("a provider that is not made", () => {
  const refusal = (model: string) => failure(async () => new ClaudeCliProvider(model).name);

  it("inside a session is NestedSession", async () => {
    vi.stubEnv("CLAUDECODE", "");
    expect(await refusal("opus")).toEqual({ kind: "NestedSession" });
  });

  it("for its model is Auth", async () => {
    expect(await refusal("invalid")).toEqual({
      kind: "Auth",
      message: '"invalid" is not the name of a known model.',
    });
  });
});
