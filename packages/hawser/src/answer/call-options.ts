import type { AnyCompleteOptions } from "../complete/index.js";
import type { Options } from "../options/index.js";
import type { ModelRequest } from "./model-request.js";

export interface CallFacts {
  readonly request: ModelRequest;
  /** The model as the CLI knows it. */
  readonly model: string;
  readonly options: Options;
  readonly tenant: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The options of the call that answers a request without tools of the server: lean, stateless, and the same for
 * the same kind of request, so that a process of the pool can be used again.
 */
export function callOptions({
  request,
  model,
  tenant,
  options,
  signal,
}: CallFacts): AnyCompleteOptions {
  const { messages, tools, toolChoice, schema, effort, thinking } = request;
  return {
    ...options,
    model,
    ...(tenant === undefined ? {} : { tenant }),
    ...(signal === undefined ? {} : { signal }),
    bare: usesBareMode(options),
    includePartialMessages: true,
    history: messages,
    systemPrompt: systemPromptOf(request),
    ...thinkingOf(thinking, options),
    ...(effort === undefined ? {} : { effort }),
    ...(tools.length === 0 ? {} : { clientTools: sortedByName(tools), toolChoice }),
    ...(schema === undefined ? {} : { schema }),
  };
}

/**
 * As in the Messages API, the model does not think unless the client or the options ask for it. A model that always
 * thinks is not affected: the CLI knows those models.
 */
function thinkingOf(
  thinking: ModelRequest["thinking"],
  { maxThinkingTokens }: Options,
): Pick<Options, "thinking"> {
  if (thinking === undefined && maxThinkingTokens !== undefined) return {};
  return { thinking: thinking ?? { type: "disabled" } };
}

/**
 * Whether the CLI can run in its minimal mode, in which the API can cache the beginning of a conversation. The
 * CLI then takes an API key only, and calls no hook. `bare` in the options decides before all else.
 */
export function usesBareMode(
  options: Options,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  const { bare, apiKey, oauthToken, rules, hooks, env = {}, inheritEnv = true } = options;
  if (bare !== undefined) return bare;
  if (oauthToken !== undefined || rules !== undefined || hooks !== undefined) return false;
  const variable = (name: string): string | undefined => {
    if (Object.hasOwn(env, name)) return env[name];
    const isInherited = Array.isArray(inheritEnv) ? inheritEnv.includes(name) : inheritEnv;
    return isInherited ? environment[name] : undefined;
  };
  if (OTHER_CREDENTIALS.some((name) => Boolean(variable(name)))) return false;
  return Boolean(apiKey ?? variable("ANTHROPIC_API_KEY"));
}

/** Variables that make the CLI use something other than an API key. */
const OTHER_CREDENTIALS: readonly string[] = [
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];

/** Clients may list the same tools in any order. A fixed order keeps the processes and the API's cache usable. */
function sortedByName<T extends { readonly name: string }>(tools: readonly T[]): readonly T[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function systemPromptOf({ system = "", wantsJson }: ModelRequest): string {
  return wantsJson ? [system, JSON_INSTRUCTION].filter((part) => part !== "").join("\n\n") : system;
}

const JSON_INSTRUCTION =
  "Answer with exactly one valid JSON value and nothing else: no explanation, no code fence.";
