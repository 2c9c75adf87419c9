import type { Options } from "../../options/index.js";
import { checkCli } from "../../process/index.js";
import type { RecordedRequest, Reply } from "../../testing/index.js";
import { answerTo } from "./brain.js";

/** A CLI that answers with no account and no network. */
export interface OfflineWorld {
  /** To be laid over those of the call. */
  readonly options: Options;
  /** Which CLI it is, as a sentence. */
  readonly about: string;
  /** Whether the CLI is the real one. */
  readonly isReal: boolean;
  dispose(): Promise<void>;
}

/** The real CLI on a simulated model, or where none can be run, a stand-in for both. */
export async function openOfflineWorld(cliPath?: string): Promise<OfflineWorld> {
  const { runnable, path = "", version } = await checkCli({ cliPath });
  return runnable ? realWorld(path, version) : fakeWorld();
}

type Testing = typeof import("../../testing/index.js");

/** By its place: as a part of this file it would not find the programs that lie beside it. */
function loadTesting(): Promise<Testing> {
  return import(new URL("../../testing/index.js", import.meta.url).href);
}

async function realWorld(cliPath: string, version = "of unknown version"): Promise<OfflineWorld> {
  const testing = await loadTesting();
  const { isolatedEnv, SimulatedModel } = testing;
  const model = await SimulatedModel.start({ replies: (request) => replyTo(request, testing) });
  const world = await isolatedEnv({ baseUrl: model.url });
  return {
    isReal: true,
    about: `offline: the real Claude Code ${version} on a simulated model`,
    options: { cliPath, env: world.env, inheritEnv: false },
    dispose: async () => {
      await world.dispose();
      await model.close();
    },
  };
}

async function fakeWorld(): Promise<OfflineWorld> {
  const { fakeCli } = await loadTesting();
  const cli = await fakeCli(new URL("scenario.js", import.meta.url));
  return {
    isReal: false,
    about: "offline: no Claude Code CLI was found, so a stand-in answers, whose tools do nothing",
    options: { cliPath: cli.path },
    dispose: () => cli.dispose(),
  };
}

function replyTo(request: RecordedRequest, { reply, toolUse }: Testing): Reply {
  const answer = answerTo({
    prompt: promptOf(request),
    tools: request.tools,
    results: hasNewPrompt(request) ? [] : request.toolResults,
    schema: schemaOf(request),
  });
  if ("use" in answer) return reply(toolUse(answer.use, answer.input));
  if ("value" in answer) {
    return reply(toolUse(VALUE_TOOL, answer.value as Record<string, unknown>));
  }
  const chunks = answer.say.split(" ").length;
  return reply(answer.say, { chunks, chunkDelayMs: answer.slowly ? 100 : 15 });
}

/** The last words of the person in the last message. */
function promptOf(request: RecordedRequest): string {
  return (
    lastBlocks(request)
      .map(wordsOf)
      .findLast((words) => words !== "") ?? request.prompt
  );
}

/**
 * Whether the person has said something after the tools gave their results: after Ctrl-C, the result of
 * the call that was stopped and the next prompt are one message, and the prompt is what to answer.
 */
function hasNewPrompt(request: RecordedRequest): boolean {
  const blocks = lastBlocks(request);
  const lastResult = blocks.findLastIndex((block) => block?.type === "tool_result");
  return blocks.slice(lastResult + 1).some((block) => wordsOf(block) !== "");
}

interface Block {
  readonly type?: string;
  readonly text?: unknown;
}

function lastBlocks({ body }: RecordedRequest): readonly (Block | null)[] {
  const { messages = [] } = body as { messages?: { role?: string; content?: unknown }[] };
  const content = messages.findLast(({ role }) => role === "user")?.content;
  return Array.isArray(content) ? content : [];
}

/** What a person said. The CLI adds notes, about a model that was set or a turn that was stopped. */
function wordsOf(block: Block | null): string {
  const text = typeof block?.text === "string" ? block.text.trim() : "";
  return /^<|^\[Request interrupted by user/.test(text) ? "" : text;
}

/** The tool by which the CLI has the model give a value. */
const VALUE_TOOL = "StructuredOutput";

function schemaOf({ body }: RecordedRequest): unknown {
  const { tools = [] } = body as { tools?: { name?: string; input_schema?: unknown }[] };
  return tools.find(({ name }) => name === VALUE_TOOL)?.input_schema;
}
