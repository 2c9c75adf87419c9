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

const isRoot = process.getuid?.() === 0;

describe.each(clisInTurn())("a start that fails on the real CLI $name", ({ path, name }) => {
  it("for an unknown flag is unsupported_by_cli, with the CLI's words", async () => {
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

  it("for a session that does not exist is session_not_found", async () => {
    const { options } = await world(path, []);
    const resume = "11111111-2222-4333-8444-555555555555";
    const error = await failure("x", { ...options, resume, persistSession: true });
    expect(error.code).toBe("session_not_found");
    expect(error.message).toContain(resume);
  });

  it("for a title that no session has is session_not_found", async () => {
    const { options } = await world(path, []);
    const error = await failure("x", { ...options, resume: "no such title", persistSession: true });
    expect(error).toMatchObject({ code: "session_not_found", retryable: false });
  });

  it.skipIf(!isRoot)("for bypass as root is root_refused", async () => {
    const { options } = await world(path, []);
    const error = await failure("x", {
      ...options,
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
    });
    expect(error).toMatchObject({
      code: "root_refused",
      exitCode: 1,
      stderrTail: expect.stringContaining("root"),
    });
  });
});

describe("a start that fails before there is a process", () => {
  const cases: [string, (cliPath: string, gone: string) => CompleteOptions, string][] = [
    ["a missing executable", (_, gone) => ({ cliPath: gone }), "cli_not_found"],
    ["a directory as executable", () => ({ cliPath: tmpdir() }), "cli_not_runnable"],
    ["a missing cwd", (cliPath, gone) => ({ cliPath, cwd: gone }), "cwd_not_found"],
    ["a file as cwd", (cliPath) => ({ cliPath, cwd: cliPath }), "cwd_not_found"],
    [
      "a missing plugin folder",
      (cliPath, gone) => ({ cliPath, plugins: [{ type: "local", path: gone }] }),
      "invalid_options",
    ],
    [
      "a missing settings file",
      (cliPath, gone) => ({ cliPath, settings: gone }),
      "invalid_options",
    ],
    ["an option of pools without one", (cliPath) => ({ cliPath, tenant: "x" }), "invalid_options"],
    ["an unknown option", (cliPath) => ({ cliPath, modle: "opus" }) as never, "invalid_options"],
  ];
  it.each(cases)("for %s has its own code", async (_what, options, code) => {
    const cli = await answering();
    expect((await failure("x", options(cli, join(tmpdir(), randomUUID())))).code).toBe(code);
  });

  it("for an option of sessions is refused by the types, too", async () => {
    const cliPath = await answering();
    const refusal = { code: "not_supported", issues: [{ path: "recover" }] };
    // @ts-expect-error: a call has `autoResume` instead.
    await expect(complete("x", { cliPath, recover: true })).rejects.toMatchObject(refusal);
  });

  it.each(["", "   ", "\n"])("for the empty prompt %j is invalid_options", async (prompt) => {
    expect(await failure(prompt, { cliPath: await answering() })).toMatchObject({
      code: "invalid_options",
      issues: [expect.objectContaining({ path: "prompt" })],
    });
  });

  /** A CLI that would answer, so that only the refusal under test can make the call fail. */
  async function answering(): Promise<string> {
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    return cli.path;
  }
});

describe("a retry of the CLI's own", () => {
  it("is logged, and the answer comes all the same", async () => {
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

describe("limits on the real CLI", () => {
  it("end a call at once whose signal is aborted already", async () => {
    const { model, options } = await world(NEWEST_CLI, []);
    const error = await failure("x", { ...options, signal: AbortSignal.abort("early") });
    expect(error).toMatchObject({ code: "aborted", reason: "early" });
    expect(model.requests).toEqual([]);
  });

  it("leave no listener on a signal that serves many calls", async () => {
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

describe("a call that ends before there is a process", () => {
  it("because its signal was aborted already starts nothing at all", async () => {
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    await failure("x", { cliPath: cli.path, signal: AbortSignal.abort() });
    expect(await cli.recorded()).toEqual([]);
  });

  it("because the CLI does not even say its version is ended by its limit", async () => {
    const cli = await fakeCli({
      steps: [{ on: "version", times: "always", do: [{ hang: true }] }],
    });
    onTestFinished(() => cli.dispose());
    const started = performance.now();
    const error = await failure("x", { cliPath: cli.path, timeouts: { bootMs: 200 } });
    expect(error).toMatchObject({ code: "timeout", phase: "boot" });
    // The limit of the probe is 5 s, which must not have passed.
    expect(performance.now() - started).toBeLessThan(4500);
  });

  it("because its prompt cannot be written is invalid_options", async () => {
    const block: Record<string, unknown> = { type: "text", text: "x" };
    block["self"] = block;
    await expect(complete([block as never])).rejects.toMatchObject({ code: "invalid_options" });
  });
});

describe("a CLI that misbehaves", () => {
  async function fake(steps: Scenario["steps"]): Promise<CompleteOptions> {
    const cli = await fakeCli({ steps: steps ?? [] });
    onTestFinished(() => cli.dispose());
    return { cliPath: cli.path, closeGraceMs: 500 };
  }

  it("ending with code 0 but no result is an error", async () => {
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

  it("prints an error that fits a screen, with all of it in its JSON", async () => {
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

  it("has what it said on stderr in every error", async () => {
    const options = await fake([
      { on: "initialize", do: [{ stderr: "waiting for the keychain\n" }] },
      { on: "user", do: [] },
    ]);
    expect(await failure("x", { ...options, timeouts: { bootMs: 1500 } })).toMatchObject({
      code: "timeout",
      stderrTail: "waiting for the keychain",
      cliPath: options.cliPath,
      cliVersion: "2.1.325",
    });
  });

  it("repeating a secret of the call does not get it into an error", async () => {
    const canary = "canary-of-this-call";
    const echo = { subtype: "success", is_error: true, result: `bad key ${canary}` };
    const options = await fake([
      { on: "user", do: [{ init: {} }, { assistant: `I saw ${canary}` }, { result: echo }] },
    ]);
    const error = await failure("x", { ...options, env: { MY_TOKEN: canary } });
    expect(error).toMatchObject({ message: "bad key ***", partialText: "I saw ***" });
    expect(inspect(error, { depth: 9 })).not.toContain(canary);
  });

  it("running a tool for longer than the limit of silence is waited for", async () => {
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

  it("sending something before it has booted has not booted", async () => {
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
  ])("reporting %j is %s", async (result, code, retryable) => {
    const options = await fake([{ on: "user", do: [{ init: {} }, { result }] }]);
    expect(await failure("x", options)).toMatchObject({ code, retryable });
  });

  it("giving its result before a bad exit code has answered", async () => {
    const options = await fake([{ on: "user", do: [{ turn: "whole" }, { exit: 1 }] }]);
    expect((await complete("x", options)).text).toBe("whole");
  });

  it("printing noise has answered all the same", async () => {
    const options = await fake([
      { on: "user", do: [{ write: "warning: x\n\n" }, { turn: "fine" }] },
    ]);
    expect((await complete("x", options)).text).toBe("fine");
  });

  it("losing its result to a broken line is a protocol_error, not a wait", async () => {
    const options = await fake([{ on: "user", do: [{ init: {} }, { write: '{"type":"resu\n' }] }]);
    expect((await failure("x", options)).code).toBe("protocol_error");
  });

  it("sending its result on a line over the limit is message_too_large", async () => {
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
  ] as const)("that %s is ended by its limit", async (_what, steps, timeouts, phase) => {
    const options = await fake(steps);
    expect(await failure("x", { ...options, timeouts })).toMatchObject({ code: "timeout", phase });
  });

  it("losing deny rules never gets the prompt", async () => {
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

  it("refusing initialize is a control_error", async () => {
    const options = await fake([{ on: "initialize", do: [{ respondError: "no such agent" }] }]);
    const error = await failure("x", options);
    expect(error).toMatchObject({ code: "control_error" });
    expect(error.message).toContain("no such agent");
  });

  it("asking what nobody can answer gets an answer", async () => {
    const ask = { type: "control_request", request_id: "q1", request: { subtype: "new_thing" } };
    const options = await fake([
      { on: "user", do: [{ emit: ask }] },
      { on: "response", do: [{ turn: "thanks" }] },
    ]);
    expect((await complete("x", options)).text).toBe("thanks");
  });
});
