import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { createPool, type Pool } from "hawser";
import { type Action, fakeCli, isolatedEnv, SimulatedModel } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHawser } from "../../src/index.js";
import { partProblems } from "../support/check-parts.js";

/** How the stream ends: with this finish reason, or before its first part with an error of this code. */
type Ending = "stop" | "tool-calls" | "error" | { readonly rejects: string };

interface Case {
  /** What the fake CLI does at the prompt. */
  readonly does: readonly Action[];
  /** What it does at its start; by default it answers as the CLI does. */
  readonly initialize?: readonly Action[];
  readonly ends: Ending;
}

const text = (delta: string) => ({
  type: "stream_event",
  parent_tool_use_id: null,
  event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: delta } },
});
const begun = [
  { init: {} },
  {
    emit: {
      type: "stream_event",
      parent_tool_use_id: null,
      event: {
        type: "message_start",
        message: { id: "msg_1", model: "m", usage: { input_tokens: 1, output_tokens: 1 } },
      },
    },
  },
  {
    emit: {
      type: "stream_event",
      parent_tool_use_id: null,
      event: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    },
  },
  { emit: text("A bowl") },
] as const satisfies readonly Action[];

/** One case for each action of the fake CLI, so that a new action is a type error here. */
const CASES: Readonly<Record<ActionName, Case>> = {
  emit: { does: [{ emit: { type: "noise" } }, { turn: "ok" }], ends: "stop" },
  echo: { does: [{ echo: true }, { turn: "ok" }], ends: "stop" },
  turn: { does: [{ turn: ["One.", "Two."] }], ends: "stop" },
  tool: {
    does: [{ turn: [{ tool: "Read", input: { file_path: "/x" } }, "ok"] }],
    ends: "tool-calls",
  },
  apiError: { does: [{ apiError: 529 }], ends: { rejects: "overloaded" } },
  model: { does: [{ model: true }], ends: "stop" },
  value: { does: [{ turn: [{ value: { a: 1 } }] }], ends: "stop" },
  hook: { does: [{ hook: "PreToolUse" }, { turn: "ok" }], ends: "stop" },
  ask: { does: [{ ask: { subtype: "nonsense" } }, { turn: "ok" }], ends: "stop" },
  background: { does: [{ background: { ms: 10 } }, { turn: "ok" }], ends: "stop" },
  turnEcho: { does: [{ turnEcho: true }], ends: "stop" },
  clear: { does: [{ init: {} }, { clear: {} }, { turn: "ok" }], ends: "stop" },
  init: { does: [{ init: { model: "claude-other" } }, { turn: "ok" }], ends: "stop" },
  assistant: { does: [{ assistant: "Half." }, { turn: "ok" }], ends: "stop" },
  result: { does: [{ assistant: "ok" }, { result: { result: "ok" } }], ends: "stop" },
  respond: { initialize: [{ respond: {} }], does: [{ turn: "ok" }], ends: "stop" },
  respondError: {
    initialize: [{ respondError: "no" }],
    does: [],
    ends: { rejects: "control_error" },
  },
  write: { does: [{ write: "garbage\n{broken\n" }, { turn: "ok" }], ends: "stop" },
  longLine: { does: [{ longLine: 300_000 }, { turn: "ok" }], ends: "stop" },
  stderr: { does: [{ stderr: "warning\n", times: 50 }, { turn: "ok" }], ends: "stop" },
  sleep: { does: [{ sleep: 20 }, { turn: "ok" }], ends: "stop" },
  hang: { does: [...begun, { hang: true }], ends: "error" },
  exit: { does: [...begun, { exit: 3 }], ends: "error" },
  die: { does: [{ die: "SIGKILL" }], ends: { rejects: "process_exited" } },
  stopReading: { does: [{ stopReading: true }, { turn: "ok" }], ends: "stop" },
  closeStdin: { does: [{ closeStdin: true }, { turn: "ok" }], ends: "stop" },
  closeStdout: { does: [...begun, { closeStdout: true }], ends: "error" },
  grandchild: { does: [{ grandchild: { seconds: 1 } }, { turn: "ok" }], ends: "stop" },
  default: { does: [{ default: true }], ends: "stop" },
};

let model: SimulatedModel;
let place: Awaited<ReturnType<typeof isolatedEnv>>;
let pool: Pool;
beforeAll(async () => {
  model = await SimulatedModel.start({ replies: () => "ok" });
  place = await isolatedEnv({ baseUrl: model.url });
  pool = createPool({ size: { min: 0 } });
});
afterAll(async () => {
  await pool.close();
  await place.dispose();
  await model.close();
});

describe("the parts of a stream, whatever the CLI does", () => {
  it.each(Object.entries(CASES))(
    "are well formed after %s",
    async (_, { initialize, does, ends }) => {
      const first = initialize === undefined ? [] : [{ on: "initialize", do: initialize } as const];
      await using cli = await fakeCli({ steps: [...first, { on: "user", do: does }] });
      const hawser = createHawser({
        pool,
        cliPath: cli.path,
        cwd: place.cwd,
        env: place.env,
        inheritEnv: false,
        timeouts: { firstMessageMs: 2_000, idleMs: 1_000 },
      });
      const started = hawser("sonnet").doStream({
        prompt: [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }],
      });
      if (typeof ends === "object") {
        await expect(started).rejects.toMatchObject({ cause: { code: ends.rejects } });
        return;
      }
      const parts: LanguageModelV4StreamPart[] = [];
      for await (const part of (await started).stream) parts.push(part);
      expect(partProblems(parts)).toEqual([]);
      expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: ends } });
    },
  );
});

/** The first key of each action is its name. The others are options of actions. */
type ActionName = Exclude<KeysOfUnion<Action>, OptionOfAction>;
type KeysOfUnion<T> = T extends unknown ? keyof T : never;
type OptionOfAction =
  | "times"
  | "message"
  | "resetsAt"
  | "input"
  | "cancelAfterMs"
  | "encoding"
  | "chunkBytes"
  | "gapMs"
  | Exclude<keyof ToolOptions, "tool" | "result">
  | Exclude<keyof ClearOptions, "clear">;
type ToolOptions = Extract<Action, { tool: string }>;
type ClearOptions = Extract<Action, { clear: object }>;
