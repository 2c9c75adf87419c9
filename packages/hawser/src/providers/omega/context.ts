import { isObject, type Kind, kind, type Problem } from "../../base/index.js";
import {
  type AllowedKeys,
  sameName,
  throwFirstProblem,
  unknownKeyProblems,
} from "../check-input.js";
import { OPTION_KEYS } from "./claude-code-options.js";
import { neutralizeMarkers } from "./neutralize-markers.js";

/** One earlier message of the conversation. Other fields, such as a time, are ignored. */
export interface HistoryEntry {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** An MCP server that the CLI starts for one call. */
export interface ContextMcpServer {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * The input of one call. A field that is given overrides the provider's option; a field that is not
 * named here is refused.
 */
export interface Context {
  /** Appended to the CLI's own prompt; `""` is none. */
  readonly systemPrompt: string;
  /** The earlier messages of the conversation. */
  readonly history: readonly HistoryEntry[];
  /** The message to answer. */
  readonly currentMessage: string;
  /** MCP servers that the CLI starts for this call. */
  readonly mcpServers?: readonly ContextMcpServer[] | undefined;
  /** The largest number of rounds in one run. */
  readonly maxTurns?: number | undefined;
  /** The tools that exist and need no approval, or rules; `[]` is full access. */
  readonly allowedTools?: readonly string[] | undefined;
  /** The model; `""` lets the CLI choose. */
  readonly model?: string | undefined;
  /** The conversation to continue. The CLI knows its history. */
  readonly sessionId?: string | undefined;
  /**
   * The agent that answers. It has its own prompt and gets the bare message. A session that an agent
   * has begun stays with that agent until another one is named.
   */
  readonly agentName?: string | undefined;
}

/**
 * The context as one text: `[System]`, `[User]` and `[Assistant]` before their parts. Lines of the
 * history or the message that look like such a marker are made plain. With a session id the history
 * is left out. With an agent name the prompt is the message alone.
 */
export function contextToPrompt(context: Context): string {
  const { systemPrompt, history, currentMessage, sessionId, agentName } = context;
  if (agentName !== undefined) return currentMessage;
  const system = systemPrompt === "" ? [] : [`[System]\n${systemPrompt}`];
  const earlier = sessionId === undefined ? history : [];
  const turns = [...earlier, { role: "user", content: currentMessage } as const];
  return [...system, ...turns.map(marked)].join("\n\n");
}

function marked({ role, content }: HistoryEntry): string {
  return `[${role === "user" ? "User" : "Assistant"}]\n${neutralizeMarkers(content)}`;
}

/**
 * Throws `invalid_options` for values that the types exclude, for an unknown key, and for an empty
 * message.
 */
export function validateContext(context: Context): void {
  throwFirstProblem(problemsOf(context));
}

function* problemsOf(context: Context): Iterable<Problem> {
  if (!isObject(context)) return yield kind.notA("an object", context, "context");
  yield* unknownKeyProblems(context, CONTEXT_KEYS, "context.");
  const { systemPrompt, history, currentMessage, model } = context as Partial<Context>;
  const { mcpServers, allowedTools } = context;
  yield* kind.string.problems(systemPrompt, "context.systemPrompt");
  yield* kind.string.problems(currentMessage, "context.currentMessage");
  if (currentMessage?.trim?.() === "") {
    yield { path: "context.currentMessage", message: "is empty" };
  }
  for (const name of ["sessionId", "agentName"] as const) {
    const value = context[name];
    if (value === undefined) continue;
    yield* kind.string.problems(value, `context.${name}`);
    if (value === "") yield { path: `context.${name}`, message: "must not be empty" };
  }
  if (model !== undefined) yield* kind.string.problems(model, "context.model");
  if (allowedTools !== undefined) {
    yield* STRING_LIST.problems(allowedTools, "context.allowedTools");
  }
  yield* HISTORY.problems(history, "context.history");
  if (mcpServers !== undefined) {
    yield* SERVERS.problems(mcpServers, "context.mcpServers");
  }
}

const HISTORY_ENTRY: Kind = {
  name: "history entry",
  *problems(entry, path) {
    if (!isObject(entry)) return yield kind.notA("an object", entry, path);
    if (entry["role"] !== "user" && entry["role"] !== "assistant") {
      yield { path: `${path}.role`, message: 'must be "user" or "assistant"' };
    }
    yield* kind.string.problems(entry["content"], `${path}.content`);
  },
};

/** `command` and `env` are checked with the option `mcpServers`. */
const SERVER: Kind = {
  name: "MCP server",
  *problems(server, path) {
    if (!isObject(server)) return yield kind.notA("an object", server, path);
    yield* unknownKeyProblems(server, SERVER_KEYS, `${path}.`);
    const { name, args } = server;
    yield* kind.string.problems(name, `${path}.name`);
    if (name === "") yield { path: `${path}.name`, message: "must not be empty" };
    if (args !== undefined) yield* STRING_LIST.problems(args, `${path}.args`);
  },
};

const STRING_LIST = kind.listOf(kind.string);
const HISTORY = kind.listOf(HISTORY_ENTRY);
const SERVERS = kind.listOf(SERVER);

const CONTEXT_KEYS: AllowedKeys = {
  what: "a key of a context",
  names: Object.keys({
    systemPrompt: true,
    history: true,
    currentMessage: true,
    mcpServers: true,
    maxTurns: true,
    allowedTools: true,
    model: true,
    sessionId: true,
    agentName: true,
  } satisfies Readonly<Record<keyof Context, true>>),
  hintFor(plain) {
    const name = OTHER_NAMES.get(plain);
    if (name !== undefined) return `Use \`${name}\`.`;
    if (plain === "timeoutsecs") return "Give `timeoutMs`, in milliseconds, to the provider.";
    const option = sameName(plain, OPTION_KEYS);
    return option && `Give \`${option}\` to the provider: it holds for all its calls.`;
  },
};

/** Names of other programs for these keys. They differ too much from ours to be found by similarity. */
const OTHER_NAMES: ReadonlyMap<string, keyof Context> = new Map<string, keyof Context>([
  ["agent", "agentName"],
  ["message", "currentMessage"],
  ["messages", "history"],
  ["prompt", "currentMessage"],
  ["resume", "sessionId"],
  ["session", "sessionId"],
  ["system", "systemPrompt"],
]);

const SERVER_KEYS: AllowedKeys = {
  what: "a key of an MCP server of a context",
  names: Object.keys({
    name: true,
    command: true,
    args: true,
    env: true,
  } satisfies Readonly<Record<keyof ContextMcpServer, true>>),
  hintFor: (plain) =>
    REMOTE_SERVER_KEYS.has(plain)
      ? "A context takes servers that the CLI starts by `command`."
      : undefined,
};

const REMOTE_SERVER_KEYS: ReadonlySet<string> = new Set(["headers", "type", "url"]);
