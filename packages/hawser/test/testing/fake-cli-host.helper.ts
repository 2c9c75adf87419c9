import { randomUUID } from "node:crypto";
import { fakeCli, type Json, type Scenario } from "../../src/testing/index.js";
import { CliProcess, type Line, STREAM_JSON } from "./cli-process.helper.js";

/** A host that sends one line after the other. */
export interface Host {
  readonly initialize?: Json;
  /** Prompts and control requests. */
  readonly says: readonly (string | Json)[];
  /** The answer to the n-th request of its kind, or "interrupt" to send an interrupt instead. */
  answers?(request: Json, n: number): Json | "interrupt" | undefined;
}

export const STATES = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" };

/** Starts a fake CLI. */
export async function play(scenario: Scenario, args: readonly string[] = STREAM_JSON) {
  const cli = await fakeCli(scenario);
  const env = { PATH: process.env["PATH"] ?? "", ...STATES };
  const run = new CliProcess(cli.path, args, { env });
  const dispose = async () => {
    await run[Symbol.asyncDispose]();
    await cli.dispose();
  };
  return { cli, run, [Symbol.asyncDispose]: dispose };
}

/** Sends everything in order, and returns every line from the first prompt on. */
export async function converse(
  run: CliProcess,
  host: Host,
  last = "idle",
): Promise<readonly Line[]> {
  const { initialize, says, answers = () => undefined } = host;
  let seen = run.lines.length;
  const asked: Record<string, number> = {};
  /** Answers requests until `isLast` returns true for a line. */
  const until = async (isLast: (line: Line) => boolean): Promise<void> => {
    for (;;) {
      await run.until(() => run.lines.length > seen);
      const line = run.lines[seen++] as Line;
      if (line["type"] === "control_request") respond(line);
      if (isLast(line)) return;
    }
  };
  const respond = ({ request, request_id }: Line) => {
    const { callback_id, subtype } = request as Json;
    const kind = String(callback_id ?? subtype);
    const n = asked[kind] ?? 0;
    asked[kind] = n + 1;
    const response = answers(request as Json, n);
    if (response === "interrupt") {
      run.send({ type: "control_request", request_id: "i", request: { subtype: "interrupt" } });
    } else if (response !== undefined) {
      const body = { subtype: "success", request_id, response };
      run.send({ type: "control_response", response: body });
    }
  };
  if (initialize !== undefined) {
    const request = { subtype: "initialize", systemPrompt: [""], ...initialize };
    run.send({ type: "control_request", request_id: "hello", request });
    await until((line) => responseId(line) === "hello");
    if ("sdkMcpServers" in initialize) await until((line) => methodOf(line) === "tools/list");
  }
  const from = seen;
  for (const each of says) {
    if (typeof each === "string") {
      run.send({ ...prompt(each), uuid: randomUUID() });
      await until((line) => line["state"] === last || line["type"] === last);
    } else {
      const id = randomUUID();
      run.send({ type: "control_request", request_id: id, request: each });
      await until((line) => responseId(line) === id);
    }
  }
  return run.lines.slice(from);
}

export function prompt(text: string): Line {
  return { type: "user", message: { role: "user", content: text } };
}

export function textBlock(text: string): Json {
  return { type: "text", text };
}

function responseId(line: Line): unknown {
  return (line["response"] as Line | undefined)?.["request_id"];
}

function methodOf(line: Line): unknown {
  const request = line["request"] as { message?: { method?: string } } | undefined;
  return request?.message?.method;
}

/** The kind of a line, in one word. */
export function kind(line: Line): unknown {
  const request = line["request"] as Line | undefined;
  const event = line["event"] as Line | undefined;
  return (
    request?.["subtype"] ?? event?.["type"] ?? line["state"] ?? line["subtype"] ?? line["type"]
  );
}
