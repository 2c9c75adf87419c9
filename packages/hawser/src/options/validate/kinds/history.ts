import { isObject, type Kind, kind, type Problem } from "../../../base/index.js";
import { block } from "./content-block.js";

/**
 * The messages of a history, each by itself. Whether they fit together is checked by
 * `validateConversation()`, which also knows the prompt.
 */
export const history: Kind = {
  name: "history",
  *problems(value, path) {
    if (!Array.isArray(value)) return yield { path, message: "must be an array of messages", hint };
    for (const [i, message] of value.entries()) yield* messageProblems(message, `${path}[${i}]`);
    // Long contents are written as JSON a second time when they are sent; that takes 1 ms for each MB.
    const why = kind.jsonProblem(value);
    if (why !== undefined) yield { path, message: `must be JSON data: ${why}` };
  },
};

const hint =
  'A message is { role: "user", content } or { role: "assistant", content }; its content is a string or an array of blocks.';

function* messageProblems(message: unknown, path: string): Iterable<Problem> {
  if (!isObject(message)) return yield { path, message: "must be a message", hint };
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") {
    const isSystem = role === "system" || role === "developer";
    yield {
      path: `${path}.role`,
      message: 'must be "user" or "assistant"',
      hint: isSystem ? "Pass the text of a system message as `systemPrompt`." : hint,
    };
    return;
  }
  const at = `${path}.content`;
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    return yield { path: at, message: "must be a string or an array of blocks", hint };
  }
  for (const [i, each] of content.entries()) yield* blockProblems(role, each, `${at}[${i}]`);
}

function* blockProblems(
  role: "user" | "assistant",
  value: unknown,
  path: string,
): Iterable<Problem> {
  const type = isObject(value) ? value["type"] : undefined;
  const owner = OWNERS.get(type);
  if (owner !== undefined && owner !== role) {
    yield {
      path,
      message: `is a block of type ${String(type)}, which only a message of the ${owner} can hold`,
      hint: `Move the block into a message with \`role: "${owner}"\`.`,
    };
    return;
  }
  yield* (BLOCKS.get(type) ?? block).problems(value, path);
}

/** The role that a block belongs to. A block that is not listed can be in a message of any role. */
const OWNERS: ReadonlyMap<unknown, "user" | "assistant"> = new Map([
  ["image", "user"],
  ["document", "user"],
  ["tool_result", "user"],
  ["thinking", "assistant"],
  ["redacted_thinking", "assistant"],
  ["tool_use", "assistant"],
]);

/** The API accepts no other id. */
const id: Kind = {
  name: "id",
  *problems(value, path) {
    if (typeof value === "string" && /^[a-zA-Z0-9_-]+$/.test(value)) return;
    yield { path, message: "must be an id of letters, digits, _ and -", hint: ID_HINT };
  },
};

const ID_HINT = "Pass the `id` of the model's tool call as it came.";

const BLOCKS: ReadonlyMap<unknown, Kind> = new Map([
  [
    "tool_use",
    kind.shape({ id, name: kind.argument, input: kind.object }, ["id", "name", "input"]),
  ],
  [
    "thinking",
    kind.shape({ thinking: kind.string, signature: kind.string }, ["thinking", "signature"]),
  ],
  ["redacted_thinking", kind.shape({ data: kind.string }, ["data"])],
]);
