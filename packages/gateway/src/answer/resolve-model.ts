import { HawserError } from "hawser";

/** What a model name of a client stands for. */
export type Target =
  | { readonly kind: "completion"; readonly model: string }
  | { readonly kind: "agent"; readonly agent: string };

/** The names that clients may use, besides those of the CLI. */
export interface ModelNames {
  /** Names of clients, and the models or agents that they stand for. */
  readonly models: Readonly<Record<string, string>>;
  readonly agents: readonly string[];
}

/** Finds the model or the agent. Throws `model_not_found`. */
export function resolveModel(name: string, { models, agents }: ModelNames): Target {
  const target = Object.hasOwn(models, name) ? (models[name] ?? name) : name;
  if (target.startsWith(AGENT)) {
    const agent = target.slice(AGENT.length);
    if (agents.includes(agent)) return { kind: "agent", agent };
  } else if (target !== name || isCliModel(target)) return { kind: "completion", model: target };
  throw modelNotFound(name);
}

/** The error for a model that does not exist, or that the tenant may not use: a client cannot tell which. */
export function modelNotFound(name: string): HawserError {
  const message = `The model ${JSON.stringify(name.slice(0, LONGEST_NAME))} does not exist, or this key may not use it.`;
  return new HawserError("model_not_found", message, { hint: "GET /v1/models lists the models." });
}

/** A client can send megabytes as a name. */
const LONGEST_NAME = 200;

export const AGENT = "agent:";

/** The aliases of the CLI that `GET /v1/models` lists. */
export const LISTED_ALIASES: readonly string[] = ["fable", "haiku", "opus", "sonnet"];

const ALIASES: ReadonlySet<string> = new Set([...LISTED_ALIASES, "best", "default", "opusplan"]);

/** Whether the name is one that the CLI may know: an alias, or the name of a Claude model. */
export function isCliModel(name: string): boolean {
  return /^claude-[\w.@:-]+(\[1m\])?$/.test(name) || ALIASES.has(name.replace(/\[1m\]$/, ""));
}
