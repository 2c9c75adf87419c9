import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type AssistantMessage,
  type ControlRequest,
  controlRequest,
  decodeLine,
  type HostPayload,
  type HostRequest,
  type InterruptReceipt,
  isMessage,
  isResult,
  isSystem,
  LineFramer,
  type Message,
  type Messages,
  type ResultMessage,
  type SystemInit,
  type SystemMessage,
  type UnknownWord,
} from "../../src/wire/index.js";

/** The output of a CLI for one prompt, with shortened lists. */
function recorded(version: string): Message[] {
  const bytes = readFileSync(new URL(`./fixtures/cli-${version}.jsonl`, import.meta.url));
  return new LineFramer().push(bytes).map((line) => {
    const frame = decodeLine(line);
    if (frame.kind !== "message") throw new Error(`${frame.kind}: ${frame.text}`);
    return frame.message;
  });
}

describe.each(["2.1.325", "2.1.197"])("messages recorded from %s", (version) => {
  const messages = recorded(version);

  it("are all decoded", () => {
    const text =
      "Here is “the answer”, with a list:\n\n1. first\n2. second\u2028third \u2029 fourth \u0085 fifth 🙂";
    expect(messages.filter(isResult).map(({ result, is_error }) => ({ result, is_error }))).toEqual(
      [{ result: text, is_error: false }],
    );
    const assistant = messages.filter((message) => isMessage(message, "assistant"));
    expect(assistant.map(({ message }) => message.content[0]?.type)).toEqual([
      "text",
      "tool_use",
      "text",
    ]);
    const [request] = messages.filter((message) => isMessage(message, "control_request"));
    expect(request?.request).toMatchObject({ subtype: "can_use_tool", tool_name: "Bash" });
  });

  it("stream the text of the complete assistant message", () => {
    const deltas = messages
      .filter((message) => isMessage(message, "stream_event"))
      .map(({ event }) => event as { delta?: { text?: string } })
      .map(({ delta }) => delta?.text ?? "");
    expect(deltas.join("")).toContain("second\u2028third \u2029 fourth \u0085 fifth 🙂");
  });

  it("have the version in init", () => {
    const inits = messages.filter((message) => isSystem(message, "init"));
    expect(inits.map((init) => init.claude_code_version)).toEqual([version]);
  });
});

describe("message guards", () => {
  it("match by type and subtype", () => {
    const init = { type: "system", subtype: "init" } as unknown as Message;
    expect(isSystem(init)).toBe(true);
    expect(isSystem(init, "init")).toBe(true);
    expect(isSystem(init, "status")).toBe(false);
    expect(isResult(init)).toBe(false);
    expect(isMessage(init, "system")).toBe(true);
    expect(isMessage({}, "system")).toBe(false);
  });

  it("narrow to the matched type", () => {
    const message = { type: "unheard_of" } as unknown as Message;
    if (isMessage(message, "assistant")) expectTypeOf(message).toEqualTypeOf<AssistantMessage>();
    if (isMessage(message, "control_request")) {
      expectTypeOf(message).toEqualTypeOf<ControlRequest>();
    }
    if (isResult(message)) expectTypeOf(message).toEqualTypeOf<ResultMessage>();
    if (isSystem(message)) expectTypeOf(message).toEqualTypeOf<SystemMessage>();
    if (isSystem(message, "init")) expectTypeOf(message).toEqualTypeOf<SystemInit>();
    expectTypeOf(message.type).toEqualTypeOf<keyof Messages | UnknownWord | undefined>();
  });
});

describe("control request types", () => {
  it("have their fields, and allow unknown fields", () => {
    expectTypeOf(
      controlRequest("1", { subtype: "set_model", model: "haiku" }).request.model,
    ).toEqualTypeOf<"haiku" | string>();
    expectTypeOf<{ subtype: "brand_new"; x: 1 }>().toExtend<HostRequest>();
    expectTypeOf<HostPayload<"interrupt">>().toEqualTypeOf<InterruptReceipt | undefined>();
    expectTypeOf<HostPayload<"brand_new">>().toBeUnknown();
  });
});
