import { addUsage, recordOf, type Spent, spentOn, type Turn } from "../session/index.js";
import { isResult, type ModelUsage, type ResultMessage, type Usage } from "../wire/index.js";

type Models = Readonly<Record<string, ModelUsage>>;

/** What a call has used up so far, over all its attempts and turns; undefined is unknown. */
export class Tally {
  #costUsd: number | undefined = 0;
  #apiMs: number | undefined = 0;
  #models: Models | undefined = {};

  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  get apiMs(): number | undefined {
    return this.#apiMs;
  }

  get models(): Models | undefined {
    return this.#models;
  }

  add(result: ResultMessage): void {
    this.#add(spentOn(result));
  }

  /** A turn that has no result to show: what it has cost is known only if one came all the same. */
  addLost(turn: Turn): void {
    const { lastMessage } = recordOf(turn);
    if (lastMessage === undefined) return;
    this.#add(isResult(lastMessage) ? spentOn(lastMessage) : UNKNOWN);
  }

  /** All models together, in the API's words. */
  usage(): Usage | undefined {
    if (this.#models === undefined) return undefined;
    const all = Object.values(this.#models);
    const total = (count: (usage: ModelUsage) => number) =>
      all.reduce((sum, usage) => sum + count(usage), 0);
    return {
      input_tokens: total((usage) => usage.inputTokens),
      output_tokens: total((usage) => usage.outputTokens),
      cache_creation_input_tokens: total((usage) => usage.cacheCreationInputTokens),
      cache_read_input_tokens: total((usage) => usage.cacheReadInputTokens),
    };
  }

  #add({ costUsd, apiMs, modelUsage }: Spent): void {
    this.#costUsd = sum(this.#costUsd, costUsd);
    this.#apiMs = sum(this.#apiMs, apiMs);
    this.#models = this.#models && modelUsage && merge(this.#models, modelUsage);
  }
}

const UNKNOWN: Spent = { costUsd: undefined, modelUsage: undefined, apiMs: undefined };

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function merge(before: Models, added: Models): Models {
  const merged = { ...before };
  for (const [model, usage] of Object.entries(added)) {
    const earlier = merged[model];
    merged[model] = earlier === undefined ? usage : addUsage(earlier, usage);
  }
  return merged;
}
