import type { OfflineWorld, RecordedRequest, Reply } from "../../testing/index.js";
import { answerTo } from "./scripted-model.js";

export interface WorldOptions {
  readonly cliPath?: string | undefined;
  /** Where sessions are kept; without it they are deleted with the world. */
  readonly configDir?: string | undefined;
  /** How long the model takes for a word: 15 ms unless given, so that the text visibly streams. */
  readonly wordMs?: number;
}

/** Opens the world of `--offline` and of the demo: a CLI on the scripted model. */
export async function openOfflineWorld(options: WorldOptions): Promise<OfflineWorld> {
  const { wordMs = 15, ...place } = options;
  const testing = await loadTesting();
  const replies = (request: RecordedRequest) => replyTo(request, wordMs, testing);
  return testing.offlineWorld({ replies, ...place });
}

type Testing = typeof import("../../testing/index.js");

/** Imported by its URL, because bundled into this file it would not find the programs beside it. */
function loadTesting(): Promise<Testing> {
  return import(new URL("../../testing/index.js", import.meta.url).href);
}

/** The model's reply to a request. */
export function replyTo(
  request: RecordedRequest,
  wordMs: number,
  { reply, toolUse }: Testing,
): Reply {
  const answer = answerTo({
    prompt: promptOf(request),
    tools: request.tools,
    results: hasNewPrompt(request) ? [] : request.toolResults,
    schema: schemaOf(request),
  });
  if ("use" in answer) return reply(toolUse(answer.use, answer.input), { usage: NOTHING });
  if ("value" in answer) {
    const input = answer.value as Record<string, unknown>;
    return reply(toolUse(VALUE_TOOL, input), { usage: NOTHING });
  }
  const chunks = answer.say.split(" ").length;
  return reply(answer.say, { chunks, chunkDelayMs: answer.slowly ? 100 : wordMs, usage: NOTHING });
}

/** No tokens, because the CLI computes a price from them and this model costs nothing. */
const NOTHING = { input_tokens: 0, output_tokens: 0 };

/** The last text of the user. A message may hold only notes, and then an earlier one counts. */
function promptOf(request: RecordedRequest): string {
  return (
    userMessages(request)
      .flat()
      .map(wordsOf)
      .findLast((words) => words !== "") ?? request.prompt
  );
}

/**
 * Whether the last message has a prompt after the results of tools. After Ctrl-C, one message has both the
 * result of the call that was stopped and the next prompt; the model must answer the prompt.
 */
function hasNewPrompt(request: RecordedRequest): boolean {
  const blocks = userMessages(request).at(-1) ?? [];
  const lastResult = blocks.findLastIndex((block) => block?.type === "tool_result");
  return blocks.slice(lastResult + 1).some((block) => wordsOf(block) !== "");
}

interface Block {
  readonly type?: string;
  readonly text?: unknown;
}

function userMessages({ body }: RecordedRequest): readonly (readonly (Block | null)[])[] {
  const { messages = [] } = body as { messages?: { role?: string; content?: unknown }[] };
  return messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => (Array.isArray(content) ? content : []));
}

/**
 * The user's text. The CLI adds notes, such as about a model that was set, or a turn that was stopped or resumed, and
 * so does a fleet when a run goes on.
 */
function wordsOf(block: Block | null): string {
  const text = typeof block?.text === "string" ? block.text.trim() : "";
  return CLI_NOTE.test(text) ? "" : text;
}

const CLI_NOTE =
  /^<|^\[Request interrupted by user|^Continue from where you left off\.$|Continue where it stopped\.(\n|$)/;

/** The tool that the CLI lets the model call to return a structured value. */
const VALUE_TOOL = "StructuredOutput";

function schemaOf({ body }: RecordedRequest): unknown {
  const { tools = [] } = body as { tools?: { name?: string; input_schema?: unknown }[] };
  return tools.find(({ name }) => name === VALUE_TOOL)?.input_schema;
}
