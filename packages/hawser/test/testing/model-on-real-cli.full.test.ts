import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  apiError,
  cut,
  hang,
  type IsolatedEnv,
  isolatedEnv,
  maxTokens,
  type ReplyInput,
  refusal,
  reply,
  SimulatedModel,
  streamError,
  thinking,
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { CliProcess, type Line, STREAM_JSON } from "./cli-process.helper.js";

describe.each(clisInTurn())("real CLI $name on a SimulatedModel", ({ path }) => {
  let model: SimulatedModel;
  let world: IsolatedEnv;
  let cli: CliProcess;
  /** The replies to the requests of the current turn. The last reply is repeated. */
  let say: ReplyInput[] = [];

  beforeAll(async () => {
    model = await SimulatedModel.start({ replies: () => (say.length > 1 ? say.shift() : say[0]) });
    world = await isolatedEnv({
      baseUrl: model.url,
      // One attempt, so that each failure shows at once.
      extra: { CLAUDE_CODE_MAX_RETRIES: "0" },
    });
    const args = [
      ...STREAM_JSON,
      "--tools=Bash",
      "--allowedTools=Bash",
      "--include-partial-messages",
    ];
    cli = new CliProcess(path, args, world);
  });

  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
    await model.close();
    await world.dispose();
  });

  function turn(...replies: ReplyInput[]): Promise<readonly Line[]> {
    say = replies;
    return cli.turn("go");
  }

  it("prints the text and the usage of the reply", async () => {
    const said = reply("Hello\u2028there", { usage: { input_tokens: 321, output_tokens: 123 } });
    expect((await turn(said)).at(-1)).toMatchObject({
      subtype: "success",
      is_error: false,
      result: "Hello\u2028there",
      stop_reason: "end_turn",
      usage: { input_tokens: 321, output_tokens: 123 },
    });
    expect(model.calls.at(-1)).toMatchObject({
      prompt: "go",
      stream: true,
      tools: expect.arrayContaining(["Bash"]),
    });
  });

  it("prints thinking and several blocks, each as a line", async () => {
    const said = [thinking("Let me see.", { signature: "c2ln" }), "First.", "Second."];
    const lines = await turn(said);
    const blocks = lines
      .filter((line) => line["type"] === "assistant")
      .flatMap((line) => (line["message"] as { content: unknown[] }).content);
    expect(blocks).toEqual([
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      expect.objectContaining({ type: "text", text: "First." }),
      expect.objectContaining({ type: "text", text: "Second." }),
    ]);
  });

  it("runs a tool and sends its result with the next call", async () => {
    const from = model.calls.length;
    const command = { command: "echo from-the-shell", description: "say so" };
    const lines = await turn(toolUse("Bash", command), "done");
    expect(lines.at(-1)).toMatchObject({ result: "done", is_error: false });
    expect(model.calls.slice(from).map((call) => call.toolResults)).toEqual([
      [],
      [{ toolUseId: expect.stringMatching(/^toolu_sim/), text: "from-the-shell", isError: false }],
    ]);
  });

  it("streams a text in the scripted chunks", async () => {
    const lines = await turn(reply("abcdefgh", { chunks: 4, chunkDelayMs: 5 }));
    expect(textDeltas(lines)).toEqual(["ab", "cd", "ef", "gh"]);
  });

  it("reports the output limit", async () => {
    expect((await turn(maxTokens("and so on"))).at(-1)).toMatchObject({
      is_error: true,
      result: expect.stringContaining("output token maximum"),
    });
  });

  const STATUSES: readonly (readonly [number, string])[] = [
    [400, "unknown"],
    [401, "authentication_failed"],
    [403, "authentication_failed"],
    [404, "model_not_found"],
    [413, "invalid_request"],
    [429, "rate_limit"],
    [500, "server_error"],
    [529, "server_error"],
  ];
  it.each(STATUSES)("reports status %i as %s", async (status, error) => {
    const lines = await turn(apiError(status, { message: "as scripted" }));
    expect(lines.at(-1)).toMatchObject({
      subtype: "success",
      is_error: true,
      api_error_status: status,
    });
    expect(lines.findLast((line) => line["type"] === "assistant")).toMatchObject({ error });
  });

  const BROKEN: readonly (readonly [string, ReplyInput])[] = [
    ["a cut stream", cut("half")],
    ["an error in the stream", streamError("overloaded_error", { after: "half" })],
  ];
  it.each(BROKEN)("repeats the request once after %s", async (_, failure) => {
    const from = model.calls.length;
    expect((await turn(failure, "whole")).at(-1)).toMatchObject({ result: "whole" });
    expect(model.calls.length - from).toBe(2);
  });

  it.each([
    ["before the first byte", cut()],
    ["in the middle", cut("half")],
  ] as const)("reports a connection that is always cut %s", async (_, failure) => {
    expect((await turn(failure)).at(-1)).toMatchObject({
      is_error: true,
      api_error_status: null,
      result: expect.stringContaining("API"),
    });
  });

  it.each([
    ["before its first byte", hang()],
    ["in the middle", hang("half an ans")],
  ] as const)("can be interrupted while the model hangs %s", async (_, silence) => {
    const [line, call] = [cli.lines.length, model.calls.length];
    const ended = turn(silence);
    await model.waitFor((request) => request === model.calls[call]);
    if (silence.kind === "message") {
      await cli.line((one) => textDeltas([one]).includes("half an ans"), line);
    }
    cli.send({ type: "control_request", request_id: "stop", request: { subtype: "interrupt" } });
    expect((await ended).at(-1)).toMatchObject({ subtype: "error_during_execution" });
  });

  it("reports a refusal", async () => {
    expect((await turn(refusal("I will not."))).at(-1)).toMatchObject({
      is_error: true,
      stop_reason: "refusal",
    });
  });

  it(`accepts an answer of ${FULL ? 8 : 2} MB`, async () => {
    const text = "0123456789abcdef".repeat((FULL ? 512 : 128) * 1024);
    const result = (await turn(text)).at(-1);
    expect(result?.["result"] === text).toBe(true);
  });
});

function textDeltas(lines: readonly Line[]): string[] {
  return lines.flatMap((line) => {
    const event = line["event"] as { delta?: { text?: string } } | undefined;
    return event?.delta?.text ?? [];
  });
}
