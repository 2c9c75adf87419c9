import { addUsage, recordOf, type Spent, spentOn, type Turn } from "../session/index.js";
import {
  isResult,
  type ModelUsage,
  type PermissionDenial,
  type ResultMessage,
  type Usage,
} from "../wire/index.js";

type Models = Readonly<Record<string, ModelUsage>>;

/** The totals of a call so far, over all its attempts and turns. */
export class Tally {
  readonly denials: PermissionDenial[] = [];
  #turns = 0;
  #mainLoop: Usage = addTokens({}, {});
  #known: Known = { costUsd: 0, apiMs: 0, models: {} };
  readonly #unknown = new Set<keyof Sums>();

  /** The turns as the CLI counts them. */
  get turns(): number {
    return this.#turns;
  }

  /** Undefined if a part of the cost is not known. */
  get costUsd(): number | undefined {
    return this.#unknown.has("costUsd") ? undefined : this.#known.costUsd;
  }

  /** The known part of the cost. */
  get knownUsd(): number {
    return this.#known.costUsd;
  }

  get apiMs(): number | undefined {
    return this.#unknown.has("apiMs") ? undefined : this.#known.apiMs;
  }

  get models(): Models | undefined {
    return this.#unknown.has("models") ? undefined : this.#known.models;
  }

  /** The known tokens of all models together, with the names of the API. */
  get usage(): Usage {
    return Object.values(this.#known.models).map(toApiUsage).reduce(addTokens, this.#mainLoop);
  }

  /** `rounds` is given if the CLI has counted its own messages about an interrupt too. */
  add(result: ResultMessage, rounds: number = result.num_turns): void {
    this.#turns += rounds;
    this.denials.push(...(result.permission_denials ?? []));
    const { costUsd, apiMs, modelUsage }: Spent = spentOn(result);
    this.#addKnown({ costUsd, apiMs, models: modelUsage });
    // A result without usage by model has at least the usage of the main thread.
    if (modelUsage === undefined) this.#mainLoop = addTokens(this.#mainLoop, result.usage ?? {});
  }

  /** Adds a turn that failed without a result, or was stopped: the cost of its last request is unknown. */
  addLost(turn: Turn): void {
    const { lastMessage } = recordOf(turn);
    if (lastMessage === undefined) return;
    if (isResult(lastMessage)) this.add(lastMessage);
    for (const each of ["costUsd", "apiMs", "models"] as const) this.#unknown.add(each);
  }

  #addKnown({ costUsd, apiMs, models }: Sums): void {
    if (costUsd === undefined) this.#unknown.add("costUsd");
    if (apiMs === undefined) this.#unknown.add("apiMs");
    if (models === undefined) this.#unknown.add("models");
    this.#known = {
      costUsd: this.#known.costUsd + (costUsd ?? 0),
      apiMs: this.#known.apiMs + (apiMs ?? 0),
      models: merge(this.#known.models, models ?? {}),
    };
  }
}

type Known = { readonly [Name in keyof Sums]: Exclude<Sums[Name], undefined> };

interface Sums {
  readonly costUsd: number | undefined;
  readonly apiMs: number | undefined;
  readonly models: Models | undefined;
}

function toApiUsage(usage: ModelUsage): Usage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
  };
}

function addTokens(a: Partial<Usage>, b: Partial<Usage>): Usage {
  const sum = (name: "input_tokens" | "output_tokens" | `cache_${Cached}_input_tokens`) =>
    (a[name] ?? 0) + (b[name] ?? 0);
  return {
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cache_creation_input_tokens: sum("cache_creation_input_tokens"),
    cache_read_input_tokens: sum("cache_read_input_tokens"),
  };
}

type Cached = "creation" | "read";

function merge(before: Models, added: Models): Models {
  const merged = { ...before };
  for (const [model, usage] of Object.entries(added)) {
    const earlier = merged[model];
    merged[model] = earlier === undefined ? usage : addUsage(earlier, usage);
  }
  return merged;
}
