import { OPTION_KEYS } from "./claude-code-options.js";
import { neutralizeMarkers } from "./omega-markers.js";
import { type KnownKeys, type Problem, refuse, sameName, unknownKeys } from "./unknown-key.js";

/** One earlier message of the conversation. Other fields, such as a time, are not looked at. */
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
 * What one call is about. A field that is given wins over the provider's own; a field that is not
 * named here is refused.
 */
export interface Context {
  /** Appended to the CLI's own prompt; `""` is none. */
  readonly systemPrompt: string;
  readonly history: readonly HistoryEntry[];
  readonly currentMessage: string;
  readonly mcpServers?: readonly ContextMcpServer[] | undefined;
  readonly maxTurns?: number | undefined;
  /** `[]` is full access. */
  readonly allowedTools?: readonly string[] | undefined;
  /** `""` is the CLI's own choice. */
  readonly model?: string | undefined;
  /** The conversation to go on with; the CLI knows its history. */
  readonly sessionId?: string | undefined;
  /**
   * The agent that answers; it has a prompt of its own and gets the bare message. A session that was
   * begun by an agent stays with it until another one is named.
   */
  readonly agentName?: string | undefined;
}

/**
 * The context as one text: `[System]`, `[User]` and `[Assistant]` before their parts. Lines of the
 * history or the message that look like such a marker are made plain. With a session id the history
 * is left out; with an agent name the message stands alone.
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
 * Throws `invalid_options` for what the types exclude, for a key that is not known, and for a message
 * that says nothing.
 */
export function validateContext(context: Context): void {
  refuse(problemsOf(context));
}

function* problemsOf(context: Context): Iterable<Problem> {
  if (!isObject(context)) return yield { path: "context", message: "must be an object" };
  yield* unknownKeys(context, KEYS, "context.");
  const { systemPrompt, history, currentMessage, model } = context as Partial<Context>;
  const { mcpServers, allowedTools } = context;
  yield* textProblems("context.systemPrompt", systemPrompt);
  yield* textProblems("context.currentMessage", currentMessage);
  if (currentMessage?.trim?.() === "") {
    yield { path: "context.currentMessage", message: "is empty" };
  }
  for (const name of ["sessionId", "agentName"] as const) {
    const value = context[name];
    if (value === undefined) continue;
    yield* textProblems(`context.${name}`, value);
    if (value === "") yield { path: `context.${name}`, message: "must not be empty" };
  }
  if (model !== undefined) yield* textProblems("context.model", model);
  if (allowedTools !== undefined) yield* listProblems("context.allowedTools", allowedTools);
  yield* listProblems("context.history", history, historyProblems);
  if (mcpServers !== undefined) {
    yield* listProblems("context.mcpServers", mcpServers, serverProblems);
  }
}

function* historyProblems(path: string, entry: Partial<HistoryEntry>): Iterable<Problem> {
  if (!isObject(entry)) return yield { path, message: "must be an object" };
  if (entry.role !== "user" && entry.role !== "assistant") {
    yield { path: `${path}.role`, message: 'must be "user" or "assistant"' };
  }
  yield* textProblems(`${path}.content`, entry.content);
}

/** Its command and variables are checked as every server's are. */
function* serverProblems(path: string, entry: Partial<ContextMcpServer>): Iterable<Problem> {
  if (!isObject(entry)) return yield { path, message: "must be an object" };
  yield* unknownKeys(entry, SERVER_KEYS, `${path}.`);
  const { name, args } = entry;
  yield* textProblems(`${path}.name`, name);
  if (name === "") yield { path: `${path}.name`, message: "must not be empty" };
  if (args !== undefined) yield* listProblems(`${path}.args`, args);
}

function* listProblems<T>(
  path: string,
  list: readonly T[] | undefined,
  problems: (path: string, entry: T) => Iterable<Problem> = textProblems,
): Iterable<Problem> {
  if (!Array.isArray(list)) return yield { path, message: "must be an array" };
  for (const [i, entry] of list.entries()) yield* problems(`${path}[${i}]`, entry);
}

function* textProblems(path: string, value: unknown): Iterable<Problem> {
  if (typeof value !== "string") yield { path, message: "must be a string" };
}

const KEYS: KnownKeys = {
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

/** What other programs call these keys, too far from our names to be found by likeness. */
const OTHER_NAMES: ReadonlyMap<string, keyof Context> = new Map<string, keyof Context>([
  ["agent", "agentName"],
  ["message", "currentMessage"],
  ["messages", "history"],
  ["prompt", "currentMessage"],
  ["resume", "sessionId"],
  ["session", "sessionId"],
  ["system", "systemPrompt"],
]);

const SERVER_KEYS: KnownKeys = {
  what: "a key of an MCP server of a context",
  names: Object.keys({
    name: true,
    command: true,
    args: true,
    env: true,
  } satisfies Readonly<Record<keyof ContextMcpServer, true>>),
  hintFor: (plain) =>
    REMOTE.has(plain) ? "A context takes servers that the CLI starts by `command`." : undefined,
};

const REMOTE: ReadonlySet<string> = new Set(["headers", "type", "url"]);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
