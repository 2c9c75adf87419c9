import type { AnswerEvent } from "hawser/answer";
import { describe, expect, it } from "vitest";
import type { FleetRunEvent } from "../../src/fleet/gateway-fleet.js";
import { RunReader } from "../../src/fleet/run-reader.js";

const event = (type: string, fields: object = {}): FleetRunEvent => ({
  seq: 1,
  at: new Date(0),
  type,
  ...fields,
});
const piece = (text: string) => event("text", { text });
const said = (text: string, more: object = {}, id = "msg_1") =>
  event("message", {
    message: {
      type: "assistant",
      parent_tool_use_id: null,
      message: {
        id,
        model: "claude-test",
        content: [{ type: "text", text }],
        usage: { input_tokens: 10, output_tokens: 3 },
      },
      ...more,
    },
  });

function read(events: readonly FleetRunEvent[], isStreamed = true) {
  const reader = new RunReader({ model: "agent:helper", isStreamed });
  const all: AnswerEvent[] = events.flatMap((each) => [...reader.read(each)]);
  return { reader, all, shown: shownIn(all) };
}

/** The events without what is alike in all of them. */
function shownIn(events: readonly AnswerEvent[]): string[] {
  return events.map((each) => {
    if (each.type === "start") return `start ${each.message.model}`;
    if (each.type === "block_delta" && each.delta.type === "text_delta") {
      return `${each.index} ${each.delta.text}`;
    }
    return "index" in each ? `${each.type} ${each.index}` : each.type;
  });
}

describe("RunReader", () => {
  it("passes pieces on, and adds what is missing when the message is whole", () => {
    const { shown } = read([piece("One "), piece("two"), said("One two three"), event("ended")]);
    expect(shown).toEqual([
      "start agent:helper",
      "block_start 0",
      "0 One ",
      "0 two",
      "0  three",
      "block_stop 0",
    ]);
  });

  it("shows whole messages only, if the answer is not streamed", () => {
    const { shown } = read([piece("Brok"), said("One."), said("Two.", {}, "msg_2")], false);
    expect(shown).toEqual([
      "start claude-test",
      ...["block_start 0", "0 One.", "block_stop 0"],
      ...["block_start 1", "1 Two.", "block_stop 1"],
    ]);
  });

  it("begins another block when a host dies in the middle of a message", () => {
    const { shown } = read([piece("Brok"), event("lost"), event("started"), said("Whole.")]);
    expect(shown).toEqual([
      "start agent:helper",
      ...["block_start 0", "0 Brok", "block_stop 0"],
      ...["block_start 1", "1 Whole.", "block_stop 1"],
    ]);
  });

  it("begins another block when the message is not the one whose pieces were sent", () => {
    const { shown } = read([piece("Other"), said("Whole.")]);
    expect(shown.slice(-3)).toEqual(["block_start 1", "1 Whole.", "block_stop 1"]);
  });

  it("shows nothing of sub-agents, failures, tool calls and results", () => {
    const { all } = read([
      said("Sub.", { parent_tool_use_id: "toolu_1" }),
      said("API Error", { error: "server_error" }),
      event("message", { message: { type: "user", message: { content: "result" } } }),
      event("tool", { tool: "Bash" }),
      event("queued"),
    ]);
    expect(all).toEqual([]);
  });

  it("counts the tokens of each message once", () => {
    const { reader } = read([said("One."), said("One."), said("Two.", {}, "msg_2")]);
    expect(reader.usageOfAll).toMatchObject({ input_tokens: 20, output_tokens: 6 });
  });
});
