import { HawserError, type Problem, throwIfInvalid } from "../../base/index.js";
import { type History, type HistoryMessage, type Prompt, saysNothing } from "../../wire/index.js";
import { history } from "./kinds/history.js";
import { validatePrompt } from "./validate-prompt.js";

/**
 * Throws `invalid_options` for a history that does not fit together or to its prompt, with the path of the
 * message and what to do, because the API would refuse the request. The messages themselves have been
 * checked by the kind of the option. Without a prompt, the last message of the history is asked.
 */
export function validateConversation(earlier: History, prompt: Prompt | undefined): void {
  if (prompt === undefined) refuseUnasked(earlier);
  else validatePrompt(prompt);
  if (earlier.length === 0) return;
  throwIfInvalid(sequenceProblems([...named("history", earlier), ...namedPrompt(prompt)], "whole"));
}

/**
 * Throws `invalid_options` for messages that cannot be appended to a conversation. What the conversation ended
 * with is not known, so the first message may be of either role, and its tool results must be those of tool
 * calls among these messages.
 */
export function validateAppended(messages: History): void {
  throwIfInvalid([...history.problems(messages, "messages")]);
  throwIfInvalid(sequenceProblems(named("messages", messages), "part"));
}

/** A message with the path by which errors name it. */
interface Named extends HistoryMessage {
  readonly path: string;
  /** The path of its content, to which the place of a block is added. */
  readonly at: string;
}

function named(path: string, messages: History): readonly Named[] {
  return messages.map((message, i) => {
    return { ...message, path: `${path}[${i}]`, at: `${path}[${i}].content` };
  });
}

function namedPrompt(prompt: Prompt | undefined): readonly Named[] {
  if (prompt === undefined) return [];
  return [{ role: "user", content: prompt, path: "prompt", at: "prompt" }];
}

function refuseUnasked(earlier: History): void {
  if (earlier.at(-1)?.role === "user") return;
  const isEmpty = earlier.length === 0;
  const message = isEmpty
    ? "There is no prompt, and no history."
    : "There is no prompt, and the history ends with a message of the assistant.";
  throw new HawserError("invalid_options", message, {
    hint: "Pass a prompt, or end `history` with a user message, for example the results of the tool calls.",
    issues: [{ path: "prompt", message: "is missing" }],
  });
}

function* sequenceProblems(
  messages: readonly Named[],
  extent: "whole" | "part",
): Iterable<Problem> {
  const [first] = messages;
  if (extent === "whole" && first?.role === "assistant") {
    yield {
      path: first.path,
      message: "is of the assistant, but a conversation begins with the user",
      hint: "Begin `history` with a user message. Instructions for the model belong into `systemPrompt`.",
    };
  }
  for (const group of groupsOf(messages)) yield* emptyProblems(group);
  yield* toolProblems(messages);
}

/** Messages of one role that follow each other, because they count as one. */
function groupsOf(messages: readonly Named[]): readonly (readonly Named[])[] {
  const groups: Named[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (last?.[0]?.role === message.role) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

function* emptyProblems(group: readonly Named[]): Iterable<Problem> {
  const path = group[0]?.path ?? "";
  const blocks = group.flatMap(blocksOf).filter((block) => !saysNothing(block));
  if (blocks.length === 0) {
    yield { path, message: "says nothing", hint: "Leave the message out." };
  } else if (blocks.every(({ type }) => THINKING.has(type))) {
    // The CLI drops such a message.
    const hint = "Add the text or the tool calls that followed, or leave the message out.";
    yield { path, message: "holds nothing but thinking", hint };
  }
}

const THINKING: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

function* toolProblems(messages: readonly Named[]): Iterable<Problem> {
  const ids = new Set<string>();
  let open: OpenCalls = new Map();
  let hasOther = false;
  let role: HistoryMessage["role"] | undefined;
  for (const message of messages) {
    const isNext = message.role !== role;
    role = message.role;
    // Messages of one role that follow each other count as one.
    if (isNext) hasOther = false;
    if (isNext && role === "assistant") {
      yield* unanswered(open);
      open = new Map();
    }
    for (const [i, block] of blocksOf(message).entries()) {
      const path = `${message.at}[${i}]`;
      if (block.type === "tool_use") yield* callProblems(block.id, path, ids, open);
      else if (block.type === "tool_result") {
        yield* resultProblems(block.tool_use_id, path, open, hasOther);
      } else hasOther ||= !saysNothing(block);
    }
  }
  yield* unanswered(open);
}

/** The tool calls that the user's next message must answer: their ids and their paths. */
type OpenCalls = Map<unknown, string>;

function blocksOf({ content }: Named): Exclude<HistoryMessage["content"], string> {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function* callProblems(
  id: unknown,
  path: string,
  ids: Set<unknown>,
  open: OpenCalls,
): Iterable<Problem> {
  if (ids.has(id)) {
    const hint = "Give each tool call the id that the model gave it.";
    yield { path: `${path}.id`, message: `is the id of an earlier tool call: "${id}"`, hint };
  }
  ids.add(id);
  open.set(id, path);
}

function* resultProblems(
  id: unknown,
  path: string,
  open: OpenCalls,
  hasOther: boolean,
): Iterable<Problem> {
  if (!open.delete(id)) {
    yield {
      path: `${path}.tool_use_id`,
      message: `answers no open tool call of the message before: "${id}"`,
      hint: "Put the assistant message with this tool call directly before the results, and give each call one result.",
    };
  } else if (hasOther) {
    yield {
      path,
      message: "comes after another block",
      hint: "Put the tool results of a message before its text and images.",
    };
  }
}

function* unanswered(open: OpenCalls): Iterable<Problem> {
  for (const [id, path] of open) {
    yield {
      path,
      message: `is a tool call without a result: "${id}"`,
      hint: "Let the next user message hold a `tool_result` block with this `tool_use_id` for every call; with `is_error: true` if the tool did not run.",
    };
  }
}
