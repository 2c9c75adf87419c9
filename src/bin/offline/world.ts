import type { OfflineWorld, RecordedRequest, Reply } from "../../testing/index.js";
import { answerTo } from "./brain.js";

/** The world of `--offline`. Its sessions are kept in `configDir`, or go with the world. */
export async function openOfflineWorld({
  cliPath,
  configDir,
}: {
  readonly cliPath?: string | undefined;
  readonly configDir?: string | undefined;
}): Promise<OfflineWorld> {
  const testing = await loadTesting();
  const replies = (request: RecordedRequest) => replyTo(request, testing);
  return testing.offlineWorld({ replies, cliPath, configDir });
}

type Testing = typeof import("../../testing/index.js");

/** By its place: as a part of this file it would not find the programs that lie beside it. */
function loadTesting(): Promise<Testing> {
  return import(new URL("../../testing/index.js", import.meta.url).href);
}

function replyTo(request: RecordedRequest, { reply, toolUse }: Testing): Reply {
  const answer = answerTo({
    prompt: promptOf(request),
    tools: request.tools,
    results: request.toolResults,
    schema: schemaOf(request),
  });
  if ("use" in answer) return reply(toolUse(answer.use, answer.input), { usage: NOTHING });
  if ("value" in answer) {
    const input = answer.value as Record<string, unknown>;
    return reply(toolUse(VALUE_TOOL, input), { usage: NOTHING });
  }
  const chunks = answer.say.split(" ").length;
  return reply(answer.say, { chunks, chunkDelayMs: answer.slowly ? 100 : 15, usage: NOTHING });
}

/** The CLI reckons the price of each token, and nothing here has one. */
const NOTHING = { input_tokens: 0, output_tokens: 0 };

/** The last words: before them may stand notes of the CLI, about a model that was set or a turn stopped. */
function promptOf({ body, prompt }: RecordedRequest): string {
  const { messages = [] } = body as { messages?: { role?: string; content?: unknown }[] };
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (!Array.isArray(content)) return prompt;
  const texts = content.map((block) => (typeof block?.text === "string" ? block.text.trim() : ""));
  return texts.findLast((text) => text !== "" && !text.startsWith("<")) ?? prompt;
}

/** The tool by which the CLI has the model give a value. */
const VALUE_TOOL = "StructuredOutput";

function schemaOf({ body }: RecordedRequest): unknown {
  const { tools = [] } = body as { tools?: { name?: string; input_schema?: unknown }[] };
  return tools.find(({ name }) => name === VALUE_TOOL)?.input_schema;
}
