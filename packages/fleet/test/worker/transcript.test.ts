import type { SessionStoreEntry } from "hawser";
import { describe, expect, it } from "vitest";
import { AddedEntries } from "../../src/worker/segment/added-entries.js";
import { CALL_TEXT } from "../../src/worker/segment/recovery-text.js";
import { Transcript } from "../../src/worker/segment/transcript.js";

let number = 0;
function entry(fields: Partial<SessionStoreEntry> & { type: string }): SessionStoreEntry {
  number += 1;
  return {
    uuid: `uuid-${number}`,
    parentUuid: `uuid-${number - 1}`,
    isSidechain: false,
    ...fields,
  };
}

function said(
  id: string,
  content: object[],
  stopReason: string | null = "tool_use",
  more: object = {},
) {
  return entry({
    type: "assistant",
    message: { id, role: "assistant", content, stop_reason: stopReason, ...more },
  });
}

function call(id: string) {
  return { type: "tool_use", id, name: "Bash", input: { command: id } };
}

function result(id: string, content: string = "ok") {
  const block = { type: "tool_result", tool_use_id: id, content };
  return entry({ type: "user", message: { role: "user", content: [block] } });
}

function prompt(uuid: string) {
  return entry({ type: "user", uuid, message: { role: "user", content: "Go." } });
}

describe("Transcript", () => {
  it("finds the calls of the last message that have no result, also over several entries", () => {
    const transcript = new Transcript([
      prompt("p"),
      said("m1", [call("a")]),
      said("m2", [call("b")]),
      said("m2", [call("c")]),
      result("b"),
      entry({ type: "assistant", isSidechain: true, message: { id: "m2", content: [call("d")] } }),
    ]);
    expect(transcript.openCalls.map(({ toolUseId }) => toolUseId)).toEqual(["c"]);
    expect(transcript.has("p")).toBe(true);
  });

  it("counts a result that says that the outcome is unknown as no end", () => {
    const transcript = new Transcript([
      said("m1", [call("a"), call("b"), call("c")]),
      result("a"),
      result("b", CALL_TEXT.uncertain),
      result(
        "c",
        "[Tool call interrupted: the session ended before this call's result was recorded]",
      ),
    ]);
    expect([...transcript.endedCalls]).toEqual(["a"]);
    expect(transcript.openCalls).toEqual([]);
  });

  it.each([
    [
      "the model had ended its turn",
      [
        prompt("p"),
        said(
          "m1",
          [
            { type: "text", text: "Do" },
            { type: "text", text: "ne." },
          ],
          "end_turn",
        ),
      ],
      "Done.",
    ],
    [
      "the prompt is not there",
      [said("m1", [{ type: "text", text: "Done." }], "end_turn")],
      undefined,
    ],
    ["a call came last", [prompt("p"), said("m1", [call("a")])], undefined],
    ["a result came last", [prompt("p"), said("m1", [call("a")]), result("a")], undefined],
    [
      "the answer was cut off",
      [prompt("p"), said("m1", [{ type: "text", text: "Do" }], null)],
      undefined,
    ],
    [
      "the CLI wrote an error of the API",
      [
        prompt("p"),
        said("m1", [{ type: "text", text: "API Error" }], "end_turn", { model: "<synthetic>" }),
      ],
      undefined,
    ],
  ])("knows whether the answer to a prompt is there: %s", (_name, entries, expected) => {
    expect(new Transcript(entries).finalAnswer("p")).toBe(expected);
  });

  it("reads nothing out of hostile entries", () => {
    const hostile: SessionStoreEntry[] = [
      { type: "assistant", message: null },
      { type: "assistant", uuid: "x", message: { content: "text" } },
      { type: "user", message: { content: [null, 1, { type: "tool_result" }] } },
      { type: "assistant", uuid: "y", message: { id: "m", content: [{ type: "tool_use" }, null] } },
      { type: "attachment", attachment: "no object" },
    ];
    const transcript = new Transcript(hostile);
    expect(transcript.openCalls).toEqual([]);
    expect(transcript.finalAnswer("x")).toBeUndefined();
    expect(transcript.isDeferred("a")).toBe(false);
  });
});

describe("AddedEntries", () => {
  it("adds results and a deferral in the CLI's shape, each after the entry before", () => {
    const transcript = new Transcript([
      { ...said("m1", [call("a"), call("b")]), cwd: "/srv", version: "2.1.325", sessionId: "s" },
    ]);
    const added = new AddedEntries(transcript);
    const [one, two] = transcript.openCalls;
    if (one === undefined || two === undefined) throw new Error("Two calls are open.");
    added.addResult(one, "Not made.");
    added.addDeferral(two);
    const [resultEntry, note] = added.list;
    expect(resultEntry).toMatchObject({
      type: "user",
      parentUuid: one.entry,
      cwd: "/srv",
      version: "2.1.325",
      message: {
        content: [{ type: "tool_result", tool_use_id: "a", is_error: true, content: "Not made." }],
      },
    });
    expect(note).toMatchObject({
      type: "attachment",
      parentUuid: resultEntry?.uuid,
      attachment: {
        type: "hook_deferred_tool",
        toolUseID: "b",
        toolName: "Bash",
        toolInput: { command: "b" },
      },
    });
    const after = new Transcript([...added.list]);
    expect(after.isDeferred("b")).toBe(true);
  });
});
