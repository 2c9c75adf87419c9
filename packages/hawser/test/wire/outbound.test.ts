import { describe, expect, it } from "vitest";
import {
  type ContentBlock,
  controlFailure,
  controlRequest,
  controlSuccess,
  userLine,
} from "../../src/wire/index.js";

const EMPTY: ContentBlock = { type: "text", text: "" };

describe("userLine()", () => {
  it("wraps text in one block, as the official SDK does", () => {
    expect(userLine("hello")).toEqual({
      type: "user",
      session_id: "",
      message: { role: "user", content: [{ type: "text", text: "hello" }] },
      parent_tool_use_id: null,
    });
  });

  it("contains only the options that are given", () => {
    expect(userLine("x", { uuid: "u", shouldQuery: false, priority: "now" })).toEqual({
      ...userLine("x"),
      uuid: "u",
      shouldQuery: false,
      priority: "now",
    });
    expect(Object.keys(userLine("x", { uuid: undefined, literal: false }))).toEqual(
      Object.keys(userLine("x")),
    );
  });

  it("puts an empty block before literal text", () => {
    expect(userLine("/clear @/etc/passwd", { literal: true }).message.content).toEqual([
      { type: "text", text: "/clear @/etc/passwd" },
      EMPTY,
    ]);
  });

  it("keeps blocks in order, and puts an empty block before them", () => {
    const image: ContentBlock = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AA==" },
    };
    const blocks: ContentBlock[] = [image, { type: "text", text: "/help" }];
    expect(userLine(blocks).message.content).toEqual(blocks);
    expect(userLine(blocks, { literal: true }).message.content).toEqual([...blocks, EMPTY]);
    expect(blocks).toHaveLength(2);
  });
});

describe("control frames", () => {
  it("have the id of a request outside, and the id of an answer inside", () => {
    expect(controlRequest("r1", { subtype: "interrupt" })).toEqual({
      type: "control_request",
      request_id: "r1",
      request: { subtype: "interrupt" },
    });
    expect(controlSuccess("r2", { behavior: "deny", message: "no" })).toEqual({
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "r2",
        response: { behavior: "deny", message: "no" },
      },
    });
    expect(controlFailure("r3", "no such hook")).toEqual({
      type: "control_response",
      response: { subtype: "error", request_id: "r3", error: "no such hook" },
    });
  });

  it("can acknowledge without a payload", () => {
    expect(controlSuccess("r1")).toEqual({
      type: "control_response",
      response: { subtype: "success", request_id: "r1" },
    });
  });
});
