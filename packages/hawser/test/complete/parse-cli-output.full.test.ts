import { describe, expect, it } from "vitest";
import { type HawserError, isHawserError } from "../../src/base/index.js";
import { parseCliOutput } from "../../src/complete/index.js";
import {
  always,
  apiError,
  type IsolatedEnvOptions,
  maxTokens,
  type ReplyScript,
  refusal,
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { fc } from "../support/fc.js";
import { world } from "../support/world.js";
import { CliProcess } from "../testing/cli-process.helper.js";

const FORMS = [
  ["object", ["--output-format", "json"]],
  ["array", ["--output-format", "json", "--verbose"]],
  ["lines", ["--output-format", "stream-json", "--verbose"]],
] as const;

interface Run {
  readonly stdout: string;
  readonly code: number | null;
}

/** Runs the executable as a user would, without the library. */
async function run(
  path: string,
  args: readonly string[],
  replies: ReplyScript,
  more: { readonly args?: readonly string[]; readonly extra?: IsolatedEnvOptions["extra"] } = {},
): Promise<Run> {
  const extra = { CLAUDE_CODE_MAX_RETRIES: "0", ...more.extra };
  const { env, cwd } = await world(path, replies, { extra });
  await using cli = new CliProcess(path, ["-p", ...args, ...(more.args ?? [])], { env, cwd });
  cli.child.stdin?.end("Name a knot.");
  const { code } = await cli.exit;
  await cli.closed;
  return { stdout: cli.stdout.toString("utf8"), code };
}

const working = () => ["Working. ", toolUse("Bash", { command: "echo x", description: "d" })];

interface Outcome {
  readonly title: string;
  readonly run: (path: string, args: readonly string[]) => Promise<Run>;
  readonly check: (run: Run, form: (typeof FORMS)[number][0]) => void;
}

/** Outcomes without an answer. */
const OUTCOMES: readonly Outcome[] = [
  {
    title: "reads a run that stops at the limit of turns",
    run: (path, args) =>
      run(path, args, always(working()), { args: ["--max-turns=2", "--allowedTools=Bash"] }),
    check: ({ stdout, code }, form) => {
      expect(code).toBe(1);
      const output = parseCliOutput(stdout);
      expect(output).toMatchObject({ form, stop: "max_turns", error: undefined });
      expect(output.result.result).toBeUndefined();
      expect(output.text).toBe(form === "object" ? "" : "Working. Working. ");
    },
  },
  {
    title: "reads a failure of the API as api_error",
    run: (path, args) => run(path, args, always(apiError(500))),
    check: ({ stdout }, form) => {
      const output = parseCliOutput(stdout);
      expect(output).toMatchObject({ form, stop: undefined, text: "" });
      expect(output.error).toMatchObject({
        code: "api_error",
        apiStatus: 500,
        message: output.result.result,
        sessionId: output.sessionId,
      });
    },
  },
  {
    title: "reads a refusal of the model as refusal",
    run: (path, args) => run(path, args, always(refusal("I would"))),
    check: ({ stdout }, form) => {
      const { error, text } = parseCliOutput(stdout);
      expect(error).toMatchObject({ code: "refusal" });
      expect(text === "").toBe(form === "object");
      expect(error?.partialText).toBe(form === "object" ? undefined : text);
    },
  },
  {
    title: "reads an answer over the token limit as max_output_tokens",
    run: (path, args) => run(path, args, always(maxTokens("part "))),
    check: ({ stdout }, form) => {
      const { error, text } = parseCliOutput(stdout);
      expect(error?.code).toBe("max_output_tokens");
      expect(text).toBe(form === "object" ? "" : "part part part part ");
    },
  },
  {
    title: "reads a missing login as auth",
    run: (path, args) => run(path, args, [], { extra: { ANTHROPIC_API_KEY: undefined } }),
    check: ({ stdout }) => {
      const { error } = parseCliOutput(stdout);
      expect(error).toMatchObject({ code: "auth", message: "Not logged in · Please run /login" });
    },
  },
];

/** The output of an answer, printed once for all tests of a block. */
const ANSWER = 'A bowline,\u2028as {"json": "```"}\r\nsays.\n';

describe.each(clisInTurn())("parseCliOutput() of the real CLI $name", ({ path }) => {
  const printed = new Map<string, Run>();
  async function answer(args: readonly string[]): Promise<Run> {
    const made = printed.get(args.join(" ")) ?? (await run(path, args, [ANSWER]));
    printed.set(args.join(" "), made);
    return made;
  }

  it.each(FORMS)("reads an answer with any characters, printed as %s", async (form, args) => {
    const { stdout, code } = await answer(args);
    expect(code).toBe(0);
    const output = parseCliOutput(stdout);
    expect(output).toEqual({
      form,
      messages: expect.arrayContaining([output.result]),
      noise: [],
      result: expect.objectContaining({ type: "result", subtype: "success", is_error: false }),
      text: ANSWER,
      stop: "completed",
      error: undefined,
      model: form === "object" ? undefined : expect.stringMatching(/^claude-/),
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      costUsd: expect.any(Number),
    });
    expect(output.messages.length > 1).toBe(form !== "object");
  });

  for (const [at, outcome] of OUTCOMES.entries()) {
    // `npm test` takes the forms in turn, a full run takes each of them.
    const forms = FULL ? FORMS : FORMS.slice(at % FORMS.length).slice(0, 1);
    it.each(forms)(`${outcome.title}, printed as %s`, async (form, args) => {
      outcome.check(await outcome.run(path, args), form);
    });
  }

  it("rejects the output of a failed start with protocol_error", async () => {
    const { stdout, code } = await run(path, FORMS[0][1], [], { args: ["--no-such-flag"] });
    expect([stdout, code]).toEqual(["", 1]);
    expect(thrownBy(stdout)).toMatchObject({
      code: "protocol_error",
      message: "The CLI printed nothing.",
      hint: expect.stringContaining("stderr says why"),
    });
  });

  it("reads an array where a setting of the user asks for verbose output", async () => {
    const place = await world(path, ["A bowline."]);
    const args = ["-p", "--output-format", "json", "--settings", '{"viewMode":"verbose"}'];
    await using cli = new CliProcess(path, args, { env: place.env, cwd: place.cwd });
    cli.child.stdin?.end("Name a knot.");
    await cli.closed;
    const output = parseCliOutput(cli.stdout.toString("utf8"));
    expect(output).toMatchObject({ form: "array", text: "A bowline.", stop: "completed" });
  });

  it("reads an unknown session as session_not_found, if the CLI prints anything", async () => {
    const resume = ["--resume", "11111111-2222-4333-8444-555555555555"];
    const { stdout } = await run(path, FORMS[2][1], [], { args: resume });
    expect(parseCliOutput(stdout)).toMatchObject({
      form: "object",
      error: { code: "session_not_found", sessionId: resume[1] },
    });
    expect((await run(path, FORMS[0][1], [], { args: resume })).stdout).toBe("");
  });

  it("reads any line ends, a byte order mark, and noise between the lines", async () => {
    const { stdout } = await answer(FORMS[2][1]);
    const lines = stdout.trimEnd().split("\n");
    const plain = parseCliOutput(stdout);
    const mixed = `\uFEFFwarning: old\r\n${lines.join("\r\nnull\r\n\r\n")}\r\n[debug] done`;
    expect(parseCliOutput(mixed)).toEqual({
      ...plain,
      noise: ["warning: old", ...lines.slice(1).map(() => "null"), "[debug] done"],
    });
    const pretty = JSON.stringify(plain.messages, undefined, 2).replaceAll("\n", "\r\n");
    expect(parseCliOutput(pretty)).toEqual({ ...plain, form: "array" });
  });

  it.each(FORMS)(
    "rejects a truncated output with protocol_error, printed as %s",
    async (_form, args) => {
      const { stdout } = await answer(args);
      const whole = stdout.trimEnd();
      for (let end = 0; end < whole.length; end += 97) {
        expect(thrownBy(whole.slice(0, end))?.code).toBe("protocol_error");
      }
    },
  );
});

describe("parseCliOutput()", () => {
  const result = { type: "result", subtype: "success", is_error: false, result: "yes" };
  const lines = (...messages: readonly object[]) =>
    messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const says = (text: string, more: object = {}) => ({
    type: "assistant",
    message: { content: [{ type: "text", text }] },
    parent_tool_use_id: null,
    ...more,
  });

  it("takes a result without is_error for a success", () => {
    const line = { type: "result", subtype: "success", result: "x", session_id: "s" };
    expect(parseCliOutput(JSON.stringify(line))).toMatchObject({ text: "x", stop: "completed" });
  });

  it("reads a result that has only structured_output", () => {
    const line = { type: "result", subtype: "success", is_error: false, structured_output: [1] };
    const { stop, result } = parseCliOutput(JSON.stringify(line));
    expect({ stop, value: result.structured_output }).toEqual({ stop: "completed", value: [1] });
  });

  it("gives retryAfterMs only if the API asked for it", () => {
    const retry = { type: "system", subtype: "api_retry", attempt: 1, retry_delay_ms: 600 };
    const failed = { type: "result", subtype: "success", is_error: true, api_error_status: 429 };
    const parsed = (delay: number) =>
      parseCliOutput(JSON.stringify([{ ...retry, retry_delay_ms: delay }, failed])).error;
    expect(parsed(600)).toMatchObject({ code: "rate_limited" });
    expect(parsed(600)?.retryAfterMs).toBeUndefined();
    expect(parsed(2000)?.retryAfterMs).toBe(2000);
  });

  it("reads a bare { is_error, result } object, and leaves JSON inside result as text", () => {
    const inner = JSON.stringify({ agent: "melchior", verdict: "approve" });
    const output = parseCliOutput(JSON.stringify({ is_error: false, result: inner }));
    expect(output).toEqual({
      form: "object",
      messages: [{ is_error: false, result: inner }],
      noise: [],
      result: { type: "result", subtype: "success", is_error: false, result: inner },
      text: inner,
      stop: "completed",
      error: undefined,
      model: undefined,
      sessionId: undefined,
      costUsd: undefined,
    });
  });

  it("reads a bare object with is_error: true as process_exited, with the text of result", () => {
    const { error, text } = parseCliOutput('{"is_error": true, "result": "Something went wrong"}');
    expect(error).toMatchObject({ code: "process_exited", message: "Something went wrong" });
    expect(text).toBe("");
  });

  it("reads is_error: true as a failure even if subtype is success", () => {
    const { stop, error } = parseCliOutput(JSON.stringify({ ...result, is_error: true }));
    expect([stop, error?.code]).toEqual([undefined, "api_error"]);
  });

  it("takes the last of several results, with the text since the result before", () => {
    const over = { type: "result", subtype: "error_max_turns", is_error: true, errors: ["2"] };
    const output = parseCliOutput(lines(says("first"), result, says("sec"), says("ond"), over));
    expect(output).toMatchObject({ stop: "max_turns", text: "second", result: over });
    expect(output.messages.length).toBe(5);
  });

  it("leaves out text of sub-agents and of the CLI itself", () => {
    const over = { type: "result", subtype: "error_max_turns", is_error: true };
    const sub = says("sub", { parent_tool_use_id: "toolu_1" });
    const failure = says("API Error", { error: "server_error" });
    expect(parseCliOutput(lines(says("model"), sub, failure, over)).text).toBe("model");
  });

  it("gives resetsAt of a usage_limit", () => {
    const limit = {
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt: 1_800_000_000 },
    };
    const failure = { ...result, is_error: true, api_error_status: 429 };
    const { error } = parseCliOutput(lines(limit, failure));
    expect(error).toMatchObject({
      code: "usage_limit",
      resetsAt: new Date(1_800_000_000_000),
    });
  });

  it.each([
    ["is empty", ""],
    ["is blank", " \r\n\n"],
    ["is prose", "A bowline."],
    ["is other JSON", '{"answer": "A bowline."}'],
    ["is a list without a result", '[{"type":"system","subtype":"init"}, 1, null, "x"]'],
    ["has no result on any line", '{"type":"system"}\n{"type":"assistant"}\n'],
    ["has only the type result", '{"type":"result"}'],
    ["is a success without result", '{"type":"result","subtype":"success","is_error":false}'],
    ["has a result that is not a string", '{"type":"result","is_error":false,"result":{"a":1}}'],
    ["is truncated after a first result", `${lines(result, says("more"))}{"type":"resu`],
    ["is truncated before noise", `${lines(result)}{"type":"resu\nKilled\n`],
  ])("throws protocol_error with partialText if the output %s", (_what, text) => {
    const error = thrownBy(text);
    expect(error).toMatchObject({
      code: "protocol_error",
      hint: expect.stringContaining("stdout"),
    });
    expect(error?.partialText ?? "").toBe(text.slice(0, 65_536));
  });

  it.each([
    ["not strings", '[{"toString":1}]'],
    ["nested 50,000 levels deep", `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
  ])("gives an error with its own message if errors are %s", (_what, errors) => {
    const { error } = parseCliOutput(
      `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":${errors}}`,
    );
    expect(error).toMatchObject({ message: "The CLI reported error_during_execution." });
  });

  it("truncates partialText to 64 KiB", () => {
    expect(thrownBy("x".repeat(1_000_000))?.partialText?.length).toBe(65_536);
  });

  it("masks secrets in an error", () => {
    const { error } = parseCliOutput(
      JSON.stringify({ ...result, is_error: true, result: "bad sk-ant-api03-abcdefghijklmnop" }),
    );
    expect(error?.message).not.toContain("abcdefghijklmnop");
  });

  it("reads any text or throws a protocol_error", () => {
    const field = fc.constantFrom(
      "type",
      "subtype",
      "is_error",
      "result",
      "errors",
      "message",
      "x",
    );
    const value = fc.oneof(
      fc.constantFrom("result", "assistant", "system", "success", "error_max_turns", true, false),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const json = fc.dictionary(field, value).map((object) => JSON.stringify(object));
    const piece = fc.oneof(
      fc.string(),
      json,
      fc.json(),
      fc.constantFrom("\n", "\r\n", "[", "]", ","),
    );
    const output = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("\n"));
    fc.assert(
      fc.property(
        fc.oneof(
          output,
          fc.array(piece).map((each) => each.join("")),
        ),
        (text) => {
          try {
            const { stop, error, ...facts } = parseCliOutput(text);
            expect((stop === undefined) !== (error === undefined)).toBe(true);
            expect(typeof facts.text).toBe("string");
          } catch (error) {
            if (!isHawserError(error, "protocol_error")) throw error;
          }
        },
      ),
      { numRuns: FULL ? 2000 : 500 },
    );
  });
});

function thrownBy(text: string): HawserError | undefined {
  try {
    parseCliOutput(text);
    return undefined;
  } catch (error) {
    return error as HawserError;
  }
}
