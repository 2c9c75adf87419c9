import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import {
  validateAppended,
  validateConversation,
  validateOptions,
} from "../../src/options/index.js";
import type { History } from "../../src/wire/index.js";

const use = (id: string) => ({ type: "tool_use", id, name: "get", input: {} }) as const;
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "r" }) as const;
const user = (content: History[number]["content"]) => ({ role: "user", content }) as const;
const assistant = (content: History[number]["content"]) =>
  ({ role: "assistant", content }) as const;

/** The path and the sentence of the first problem; undefined if the history is valid. */
function problemOf(history: unknown, prompt: string | undefined = "Go on."): string | undefined {
  try {
    validateOptions({ history: history as History });
    validateConversation(history as History, prompt);
    return undefined;
  } catch (error) {
    if (!isHawserError(error, "invalid_options")) throw error;
    expect(error.hint).toBeTruthy();
    return error.message;
  }
}

describe("the option history", () => {
  it.each<[string, unknown, string]>([
    ["no list", "Hi.", "history must be an array of messages."],
    ["no message", ["Hi."], "history[0] must be a message."],
    [
      "a system message",
      [{ role: "system", content: "x" }],
      'history[0].role must be "user" or "assistant".',
    ],
    [
      "no content",
      [{ role: "user" }],
      "history[0].content must be a string or an array of blocks.",
    ],
    ["no block", [user([7 as never])], "history[0].content[0] must be a content block."],
    [
      "an incomplete block",
      [user([{ type: "text" } as never])],
      "history[0].content[0].text is missing.",
    ],
    [
      "a tool call of the user",
      [user([use("a")])],
      "history[0].content[0] is a block of type tool_use, which only a message of the assistant can hold.",
    ],
    [
      "an image of the assistant",
      [user("x"), assistant([{ type: "image", source: { type: "url", url: "http://x" } }])],
      "history[1].content[0] is a block of type image, which only a message of the user can hold.",
    ],
    [
      "an id that the API refuses",
      [user("x"), assistant([use("a b")]), user([result("a b")])],
      "history[1].content[0].id must be an id of letters, digits, _ and -.",
    ],
    [
      "an assistant's message as the first",
      [assistant("x")],
      "history[0] is of the assistant, but a conversation begins with the user.",
    ],
    ["an empty message", [user("x"), assistant(" \n")], "history[1] says nothing."],
    [
      "only empty blocks",
      [user([{ type: "text", text: "" }]), assistant("x")],
      "history[0] says nothing.",
    ],
    [
      "only thinking",
      [user("x"), assistant([{ type: "thinking", thinking: "t", signature: "s" }])],
      "history[1] holds nothing but thinking.",
    ],
    [
      "a result without a call",
      [user([result("a")])],
      'history[0].content[0].tool_use_id answers no open tool call of the message before: "a".',
    ],
    [
      "a result of an older call",
      [user("x"), assistant([use("a")]), user([result("a")]), assistant("y"), user([result("a")])],
      'history[4].content[0].tool_use_id answers no open tool call of the message before: "a".',
    ],
    [
      "a call without a result",
      [user("x"), assistant([use("a"), use("b")]), user([result("b")]), assistant("y")],
      'history[1].content[0] is a tool call without a result: "a".',
    ],
    [
      "a call without a result at the end",
      [user("x"), assistant([use("a")])],
      'history[1].content[0] is a tool call without a result: "a".',
    ],
    [
      "an id that is used twice",
      [
        user("x"),
        assistant([use("a")]),
        user([result("a")]),
        assistant([use("a")]),
        user([result("a")]),
      ],
      'history[3].content[0].id is the id of an earlier tool call: "a".',
    ],
    [
      "text before a result",
      [user("x"), assistant([use("a")]), user([{ type: "text", text: "t" }, result("a")])],
      "history[2].content[1] comes after another block.",
    ],
    [
      "a message before a result",
      [user("x"), assistant([use("a")]), user("t"), user([result("a")])],
      "history[3].content[0] comes after another block.",
    ],
  ])("is refused with its path for %s", (_, history, message) => {
    expect(problemOf(history)).toBe(message);
  });

  it("is refused for a value that JSON cannot hold", () => {
    const input = { big: 1n } as never;
    const history = [user("x"), assistant([{ ...use("a"), input }]), user([result("a")])];
    expect(problemOf(history)).toMatch(/^history must be JSON data/);
  });

  it.each<[string, History]>([
    ["nothing", []],
    ["messages of one role in a row", [user("a"), user("b"), assistant("c"), assistant("d")]],
    [
      "results in several messages",
      [user("x"), assistant([use("a"), use("b")]), user([result("b")]), user([result("a")])],
    ],
    [
      "thinking before the text of the next message",
      [user("x"), assistant([{ type: "thinking", thinking: "t", signature: "s" }]), assistant("y")],
    ],
    [
      "empty parts beside others",
      [
        user([
          { type: "text", text: "" },
          { type: "text", text: "x" },
        ]),
        assistant("y"),
      ],
    ],
    ["blocks of an unknown type", [user([{ type: "search_result", title: "x" }])]],
  ])("may hold %s", (_, history) => {
    expect(problemOf(history)).toBeUndefined();
  });

  it("must end with a user message if there is no prompt", () => {
    const refused = (history: History) => {
      try {
        validateConversation(history, undefined);
      } catch (error) {
        if (isHawserError(error, "invalid_options")) return error.hint;
      }
      return undefined;
    };
    expect(refused([])).toContain("Pass a prompt");
    expect(refused([user("x"), assistant("y")])).toContain("end `history` with a user message");
    expect(refused([user("x"), assistant([use("a")]), user([result("a")])])).toBeUndefined();
  });

  it("contradicts autoResume", () => {
    const history = [{ role: "user", content: "x" }] as const;
    expect(() => validateOptions({ history, autoResume: 1 })).toThrow(/contradicts autoResume/);
  });

  it("contradicts resume and continue", () => {
    expect(() => validateOptions({ history: [user("x")], resume: "a" })).toThrow(
      /contradicts resume/,
    );
    expect(() => validateOptions({ history: [user("x")], continue: true })).toThrow(
      /contradicts resume/,
    );
  });
});

describe("validateAppended()", () => {
  it("lets the messages begin with either role", () => {
    validateAppended([assistant("x")]);
    validateAppended([user("x")]);
  });

  it("refuses what does not fit together, and names the path from messages on", () => {
    expect(() => validateAppended([user([result("a")])])).toThrow(
      "messages[0].content[0].tool_use_id",
    );
    expect(() => validateAppended([assistant([use("a")])])).toThrow(
      "messages[0].content[0] is a tool call",
    );
    expect(() => validateAppended([user("")])).toThrow("messages[0] says nothing");
    expect(() => validateAppended("x" as never)).toThrow("messages must be an array");
  });
});
