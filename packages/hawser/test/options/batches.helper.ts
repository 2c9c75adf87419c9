import {
  buildInvocation,
  type OptionName,
  type Options,
  type Version,
} from "../../src/options/index.js";
import { HOST } from "./facts.helper.js";

export interface NamedOptions {
  readonly name: OptionName;
  readonly options: Options;
}

export interface Batch {
  readonly names: string;
  readonly options: Options;
}

/**
 * The same cases in as few invocations as possible: no option twice in one, and nothing that
 * contradicts. What an invocation is accepted with, each of its options is accepted with.
 */
export function batchesOf(cases: readonly NamedOptions[], version: Version): Batch[] {
  const batches: { names: Set<string>; options: Options }[] = [];
  for (const { name, options } of cases) {
    const batch = batches.find((each) => fitsInto(each.options, options, version));
    if (batch === undefined) batches.push({ names: new Set([name]), options });
    else {
      batch.names.add(name);
      batch.options = { ...batch.options, ...options };
    }
  }
  return batches.map(({ names, options }) => ({ names: [...names].join(", "), options }));
}

function fitsInto(batch: Options, options: Options, version: Version): boolean {
  if (Object.keys(options).some((name) => name in batch)) return false;
  try {
    buildInvocation({ ...batch, ...options }, { path: "claude", version }, HOST);
    return true;
  } catch {
    return false; // They contradict each other.
  }
}
