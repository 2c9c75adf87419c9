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
  type Action,
  always,
  apiError,
  fakeCli,
  type IsolatedEnvOptions,
  type Reply,
  refusal,
} from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { until } from "../support/proc.js";
import { sharedWorld } from "../support/shared-world.js";
import { startsOf } from "../support/starts.js";
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
  approval_expired: "Process",
  storage_failed: "Process",
  run_cancelled: "Process",
  lease_lost: "Process",
  host_lost: "Process",
  database_unavailable: "Process",
  embedded_unavailable: "Process",
};

describe("toMagiError()", () => {
  it("has a row for every code", () => {
    expect(Object.keys(KINDS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  it.each(Object.entries(KINDS))("turns %s into %s", (code, kind) => {
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
  ] as const)("gives %s without apiStatus the status %i", (code, status) => {
    const body = ERROR_CODES[code].sentence;
    expect(toMagiError(new HawserError(code))).toEqual({ kind: "Http", status, body });
  });

  it("keeps apiStatus", () => {
    const error = new HawserError("api_error", "bad gateway", { apiStatus: 502 });
    expect(toMagiError(error)).toEqual({ kind: "Http", status: 502, body: "bad gateway" });
  });

  it("keeps exitCode, and repeats stderrTail only once", () => {
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
  ])("classifies an error that is not a HawserError: %s", (error, expected) => {
    expect(toMagiError(error)).toEqual(expected);
  });

  it("turns an unknown code into Process", () => {
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
  throw new Error("The call did not fail.");
}

const extra = { CLAUDE_CODE_MAX_RETRIES: "0" };

describe.each(clisInTurn())("toMagiError() of an API failure, real CLI $name", ({ path }) => {
  const shared = sharedWorld(path, { extra });

  async function failing(reply: Reply): Promise<MagiError> {
    shared.script(always(reply));
    const provider = new ClaudeCliProvider("opus", { ...shared.options, pool: shared.pool() });
    return provider.complete("s", "u").then(() => {
      throw new Error("The call did not fail.");
    }, toMagiError);
  }

  it("is Auth for status 401", async () => {
    expect(await failing(apiError(401))).toEqual({
      kind: "Auth",
      message: expect.stringMatching(/\w/),
    });
  });

  it("is Process with the words of the CLI for a refusal", async () => {
    expect(await failing(refusal("no"))).toEqual({
      kind: "Process",
      exitCode: undefined,
      stderr: expect.stringContaining("https://www.anthropic.com/legal/aup"),
    });
  });

  // A pool pauses after 429 and 529, so these statuses come last.
  it.each([404, 500, 429, 529])("is Http for status %i", async (status) => {
    const error = await failing(apiError(status));
    expect(error).toEqual({ kind: "Http", status, body: expect.stringMatching(/\w/) });
  });
});

describe.each(clisInTurn())("toMagiError() of a failure on the real CLI $name", ({ path }) => {
  async function failing(
    env: IsolatedEnvOptions = {},
    more: ClaudeCliProviderOptions = {},
  ): Promise<MagiError> {
    const { options } = await world(path, [], { extra, ...env });
    return failure(() => new ClaudeCliProvider("opus", { ...options, ...more }).complete("s", "u"));
  }

  // The failure table has a missing login, and an address without an API.
  it.runIf(FULL)("is Auth for a missing login", async () => {
    const noKey = { extra: { ...extra, ANTHROPIC_API_KEY: undefined } };
    expect(await failing(noKey)).toEqual({
      kind: "Auth",
      message: "Not logged in · Please run /login",
    });
  });

  it.runIf(FULL)("is Network if nothing listens at the address of the API", async () => {
    const error = await failing({ baseUrl: "http://127.0.0.1:9" });
    expect(error).toEqual({ kind: "Network", message: expect.stringMatching(/connect/i) });
  });

  it("is Process with exitCode and stderr for an unknown flag", async () => {
    const error = await failing({}, { extraArgs: { "no-such-flag": null } });
    expect(error).toEqual({
      kind: "Process",
      exitCode: 1,
      stderr: expect.stringContaining("unknown option '--no-such-flag'"),
    });
  });

  it("is Process for a missing executable", async () => {
    const error = await failing({}, { cliPath: "/no/such/claude" });
    expect(error).toMatchObject({ kind: "Process", stderr: expect.stringContaining("/no/such") });
  });
});

describe("toMagiError() of a call that is ended, on a fake CLI", () => {
  /** A call on a CLI that begins a turn and then says nothing. */
  async function silent(
    more: ClaudeCliProviderOptions,
    onPrompt: () => void,
    signal?: AbortSignal,
  ): Promise<MagiError> {
    const actions: Action[] = [{ init: {} }];
    await using cli = await fakeCli({ steps: [{ on: "user", do: actions }] });
    const options = { cliPath: cli.path, closeGraceMs: 500, ...more };
    const failed = failure(() =>
      new ClaudeCliProvider("opus", options).complete("s", "u", { signal }),
    );
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    void failed.then(end, end);
    await until(async () => {
      const starts = await startsOf(cli);
      return isOver || starts.some(({ lines }) => lines.some((line) => line.includes('"user"')));
    });
    onPrompt();
    return await failed;
  }

  it("is Timeout for totalMs", async () => {
    const error = await silent({ timeouts: { totalMs: 3000 } }, () => {});
    expect(error).toEqual({ kind: "Timeout", message: expect.stringContaining("3000 ms") });
  });

  it("is Process for SIGKILL", async () => {
    const kill = () => process.kill(processes()[0]?.pid ?? Number.NaN, "SIGKILL");
    expect(await silent({}, kill)).toEqual({
      kind: "Process",
      exitCode: undefined,
      stderr: expect.stringContaining("SIGKILL"),
    });
  });

  it.each([
    ["a TimeoutError", new DOMException("The time is over.", "TimeoutError"), "Timeout"],
    ["any other reason", "enough", "Process"],
  ])("follows the reason of an abort: %s", async (_what, reason, kind) => {
    const controller = new AbortController();
    const abort = () => controller.abort(reason);
    expect((await silent({}, abort, controller.signal)).kind).toBe(kind);
  });
});

describe("toMagiError() of an error of the constructor", () => {
  const refusal = (model: string) => failure(async () => new ClaudeCliProvider(model).name);

  it("is NestedSession inside a Claude Code session", async () => {
    vi.stubEnv("CLAUDECODE", "");
    expect(await refusal("opus")).toEqual({ kind: "NestedSession" });
  });

  it("is Auth for an unknown model", async () => {
    expect(await refusal("invalid")).toEqual({
      kind: "Auth",
      message: '"invalid" is not the name of a known model.',
    });
  });
});
