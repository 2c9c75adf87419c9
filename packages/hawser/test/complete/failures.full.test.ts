import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CompleteOptions, complete } from "../../src/complete/index.js";
import { apiError, fakeCli, type Scenario } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";
import { failure } from "./failure.helper.js";

describe.each(clisInTurn())(
  "complete() with a failing start, on the real CLI $name",
  ({ path, name }) => {
    it("rejects with unsupported_by_cli and the words of the CLI for an unknown flag", async () => {
      const { options } = await world(path, []);
      const error = await failure("x", { ...options, extraArgs: { "no-such-flag": null } });
      expect(error).toMatchObject({
        code: "unsupported_by_cli",
        exitCode: 1,
        cliPath: path,
        cliVersion: name,
        stderrTail: expect.stringContaining("unknown option '--no-such-flag'"),
      });
      expect(error.message).toContain("unknown option '--no-such-flag'");
    });

    it("rejects with session_not_found for a title that no session has", async () => {
      const { options } = await world(path, []);
      const error = await failure("x", {
        ...options,
        resume: "no such title",
        persistSession: true,
      });
      expect(error).toMatchObject({ code: "session_not_found", retryable: false });
    });
  },
);

describe("complete() before a process starts", () => {
  const cases: [string, string, (cliPath: string, gone: string) => CompleteOptions][] = [
    ["a missing executable", "cli_not_found", (_, gone) => ({ cliPath: gone })],
    ["a directory as executable", "cli_not_runnable", () => ({ cliPath: tmpdir() })],
    ["a missing cwd", "cwd_not_found", (cliPath, gone) => ({ cliPath, cwd: gone })],
    ["a file as cwd", "cwd_not_found", (cliPath) => ({ cliPath, cwd: cliPath })],
    [
      "a missing plugin folder",
      "invalid_options",
      (cliPath, gone) => ({ cliPath, plugins: [{ type: "local", path: gone }] }),
    ],
    [
      "a missing settings file",
      "invalid_options",
      (cliPath, gone) => ({ cliPath, settings: gone }),
    ],
    ["tenant without pool", "invalid_options", (cliPath) => ({ cliPath, tenant: "x" })],
    ["an unknown option", "invalid_options", (cliPath) => ({ cliPath, modle: "opus" }) as never],
  ];
  it.each(cases)("refuses %s with %s", async (_what, code, options) => {
    const cli = await answering();
    expect((await failure("x", options(cli, join(tmpdir(), randomUUID())))).code).toBe(code);
  });

  it("refuses an option of sessions with not_supported, and in its types", async () => {
    const cliPath = await answering();
    const refusal = { code: "not_supported", issues: [{ path: "recover" }] };
    // @ts-expect-error: complete() has `autoResume` instead.
    await expect(complete("x", { cliPath, recover: true })).rejects.toMatchObject(refusal);
  });

  it.each(["", "   ", "\n"])("refuses the empty prompt %j with invalid_options", async (prompt) => {
    expect(await failure(prompt, { cliPath: await answering() })).toMatchObject({
      code: "invalid_options",
      issues: [expect.objectContaining({ path: "prompt" })],
    });
  });

  /** A CLI that would answer, so that the call can fail only by the refusal under test. */
  async function answering(): Promise<string> {
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    return cli.path;
  }
});

describe("a retry by the CLI itself", () => {
  it("is logged as a warning, and the call gives the answer", async () => {
    const { logger, entries } = recordingLogger();
    const { options } = await world(NEWEST_CLI, [apiError(500), "after all"]);
    expect((await complete("x", { ...options, logger })).text).toBe("after all");
    expect(entries.filter(({ message }) => message === "the CLI retries")).toEqual([
      {
        level: "warn",
        message: "the CLI retries",
        fields: { attempt: 1, of: 1, inMs: expect.any(Number), error: "server_error" },
      },
    ]);
    await allGone();
    expect(entries.map(({ message }) => message)).toEqual([
      "spawn",
      "ready",
      "the CLI retries",
      "closing: end of input",
      "exit",
    ]);
  });
});

describe("signal", () => {
  it("has no listener left after calls that succeeded and failed", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const cli = await fakeCli({ steps: [{ on: "user", times: "always", do: [{ turn: "ok" }] }] });
    onTestFinished(() => cli.dispose());
    await complete("x", { cliPath: cli.path, signal });
    await allGone();
    await failure("x", { cliPath: "/no/such/cli", signal });
    expect(listeners).toBe(0);
  });
});

describe("complete() before the CLI runs", () => {
  it("rejects with aborted and starts nothing if the signal is aborted already", async () => {
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    const error = await failure("x", { cliPath: cli.path, signal: AbortSignal.abort("early") });
    expect(error).toMatchObject({ code: "aborted", reason: "early" });
    expect(await cli.recorded()).toEqual([]);
  });

  it("rejects with timeout at bootMs if the CLI does not print its version", async () => {
    const cli = await fakeCli({
      steps: [{ on: "version", times: "always", do: [{ hang: true }] }],
    });
    onTestFinished(() => cli.dispose());
    const started = performance.now();
    const error = await failure("x", { cliPath: cli.path, timeouts: { bootMs: 200 } });
    expect(error).toMatchObject({ code: "timeout", phase: "boot" });
    // The version probe has a limit of 5 s, which must not have passed.
    expect(performance.now() - started).toBeLessThan(4500);
  });

  it("rejects with invalid_options if the prompt cannot be serialized", async () => {
    const block: Record<string, unknown> = { type: "text", text: "x" };
    block["self"] = block;
    await expect(complete([block as never])).rejects.toMatchObject({ code: "invalid_options" });
  });
});

describe("complete() on a CLI that misbehaves", () => {
  async function fake(steps: Scenario["steps"]): Promise<CompleteOptions> {
    const cli = await fakeCli({ steps: steps ?? [] });
    onTestFinished(() => cli.dispose());
    return { cliPath: cli.path, closeGraceMs: 500 };
  }

  it("rejects with process_exited after exit code 0 without a result", async () => {
    const options = await fake([
      { on: "user", do: [{ init: {} }, { assistant: "half an" }, { exit: 0 }] },
    ]);
    expect(await failure("x", options)).toMatchObject({
      code: "process_exited",
      message: "The CLI ended without a result.",
      partialText: "half an",
      sessionId: expect.any(String),
      exitCode: 0,
      cliVersion: "2.1.325",
    });
  });

  it("rejects with an error that prints on one screen and has all facts in its JSON", async () => {
    const usage = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field_${i}`, i]));
    const options = await fake([
      { on: "user", do: [{ init: {} }, { result: { is_error: true, result: "no", usage } }] },
    ]);
    const error = await failure("x", options);
    expect(inspect(error).split("\n").length).toBeLessThan(40);
    expect(error.result).toMatchObject({ usage });
    expect(JSON.parse(JSON.stringify(error)).result).toMatchObject({ usage });
    expect("lastMessage" in error).toBe(false);
  });

  it("puts the stderr of the CLI into stderrTail", async () => {
    const options = await fake([
      { on: "initialize", do: [{ stderr: "waiting for the keychain\n" }] },
      { on: "user", do: [] },
    ]);
    const abort = new AbortController();
    const stderr = () => abort.abort();
    expect(await failure("x", { ...options, stderr, signal: abort.signal })).toMatchObject({
      code: "aborted",
      stderrTail: "waiting for the keychain",
      cliPath: options.cliPath,
      cliVersion: "2.1.325",
    });
  });

  it("masks a secret of the call that the CLI repeats", async () => {
    const canary = "canary-of-this-call";
    const echo = { subtype: "success", is_error: true, result: `bad key ${canary}` };
    const options = await fake([
      { on: "user", do: [{ init: {} }, { assistant: `I saw ${canary}` }, { result: echo }] },
    ]);
    const error = await failure("x", { ...options, env: { MY_TOKEN: canary } });
    expect(error).toMatchObject({ message: "bad key ***", partialText: "I saw ***" });
    expect(inspect(error, { depth: 9 })).not.toContain(canary);
  });

  it("waits for a tool that runs longer than idleMs", async () => {
    const tool = { type: "tool_use", id: "toolu_1", name: "Bash", input: {} };
    const done = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
    const options = await fake([
      {
        on: "user",
        do: [
          { init: {} },
          { assistant: [tool] },
          { sleep: 2500 },
          { emit: { type: "user", message: { role: "user", content: [done] } } },
          { turn: "finished" },
        ],
      },
    ]);
    expect((await complete("x", { ...options, timeouts: { idleMs: 1200 } })).text).toBe("finished");
  });

  it("rejects with timeout at bootMs although the CLI has sent a message", async () => {
    const options = await fake([
      { on: "start", do: [{ emit: { type: "keep_alive" } }] },
      { on: "initialize", do: [] },
      { on: "user", do: [] },
    ]);
    const timeouts = { bootMs: 1500, idleMs: 60_000 };
    expect(await failure("x", { ...options, timeouts })).toMatchObject({
      code: "timeout",
      phase: "boot",
    });
  });

  it.each([
    [
      { subtype: "error_max_structured_output_retries", is_error: true, errors: ["5 times"] },
      "structured_output",
      false,
    ],
    [{ is_error: true, api_error_status: 400, result: "bad request" }, "api_error", false],
    [{ is_error: true, api_error_status: 502, result: "bad gateway" }, "api_error", true],
    [{ is_error: true, api_error_status: null, result: "network" }, "api_error", true],
    [{ is_error: true, stop_reason: "refusal", result: "no" }, "refusal", false],
  ])("reads the result %j as %s", async (result, code, retryable) => {
    const options = await fake([{ on: "user", do: [{ init: {} }, { result }] }]);
    expect(await failure("x", options)).toMatchObject({ code, retryable });
  });

  it("gives the answer if the CLI exits with an error code after the result", async () => {
    const options = await fake([{ on: "user", do: [{ turn: "whole" }, { exit: 1 }] }]);
    expect((await complete("x", options)).text).toBe("whole");
  });

  it("gives the answer if the CLI prints noise before it", async () => {
    const options = await fake([
      { on: "user", do: [{ write: "warning: x\n\n" }, { turn: "fine" }] },
    ]);
    expect((await complete("x", options)).text).toBe("fine");
  });

  it("rejects with protocol_error at once if the line of the result is broken", async () => {
    const options = await fake([{ on: "user", do: [{ init: {} }, { write: '{"type":"resu\n' }] }]);
    expect((await failure("x", options)).code).toBe("protocol_error");
  });

  it("rejects with message_too_large if the line of the result exceeds maxLineBytes", async () => {
    const options = await fake([{ on: "user", do: [{ turn: "x".repeat(100_000) }] }]);
    const error = await failure("x", { ...options, maxLineBytes: 50_000 });
    expect(error).toMatchObject({ code: "message_too_large" });
  });

  it.each([
    [
      "never answers initialize",
      [
        { on: "initialize", do: [] },
        { on: "user", do: [] },
      ],
      { bootMs: 1500 },
      "boot",
    ],
    ["never begins the turn", [{ on: "user", do: [] }], { firstMessageMs: 1500 }, "firstMessage"],
    [
      "stops in the middle",
      [{ on: "user", do: [{ init: {} }, { assistant: "half" }] }],
      { idleMs: 1500 },
      "idle",
    ],
  ] as const)("rejects with timeout if the CLI %s", async (_what, steps, timeouts, phase) => {
    const options = await fake(steps);
    expect(await failure("x", { ...options, timeouts })).toMatchObject({ code: "timeout", phase });
  });

  it("rejects with protocol_error and sends no prompt if deny rules were lost", async () => {
    const cli = await fakeCli({
      steps: [
        {
          on: "control",
          subtype: "get_settings",
          do: [
            {
              respond: {
                sources: [
                  {
                    source: "flagSettings",
                    settings: { permissions: { deny: ["Bash(command-0 *)"] } },
                  },
                ],
              },
            },
          ],
        },
      ],
    });
    onTestFinished(() => cli.dispose());
    const disallowedTools = Array.from({ length: 600 }, (_, i) => `Bash(command-${i} *)`);
    const error = await failure("x", { cliPath: cli.path, disallowedTools });
    expect(error).toMatchObject({
      code: "protocol_error",
      message: "Only 1 of 600 deny rules reached the CLI, so no prompt was sent.",
    });
    const lines = (await cli.recorded()).flatMap((each) => each.lines);
    expect(lines.filter((line) => JSON.parse(line).type === "user")).toEqual([]);
  });

  it("rejects with control_error if the CLI refuses initialize", async () => {
    const options = await fake([{ on: "initialize", do: [{ respondError: "no such agent" }] }]);
    const error = await failure("x", options);
    expect(error).toMatchObject({ code: "control_error" });
    expect(error.message).toContain("no such agent");
  });

  it("answers a request of an unknown kind from the CLI", async () => {
    const ask = { type: "control_request", request_id: "q1", request: { subtype: "new_thing" } };
    const options = await fake([
      { on: "user", do: [{ emit: ask }] },
      { on: "response", do: [{ turn: "thanks" }] },
    ]);
    expect((await complete("x", options)).text).toBe("thanks");
  });
});
