import { type Kind, kind } from "../../base/index.js";
import { addFlag, type Draft } from "../draft.js";
import type { Initialize } from "../invocation.js";
import type { OptionName } from "../options.js";
import type { Flag, OptionSpec, Way } from "../spec.js";

type Apply<Value> = (draft: Draft, value: Value, name: OptionName) => void;

/** An option that only this library obeys. */
export function host<Value>(kind: Kind): OptionSpec<Value> {
  return { kind, ways: ["host"], flags: [], inUse: () => true };
}

/** `--flag=value` */
export function flag<Value extends string | number>(
  name: Flag,
  kind: Kind,
  since: string,
): OptionSpec<Value> {
  const apply: Apply<Value> = (draft, value, option) => addFlag(draft, option, name, `${value}`);
  return { kind, ways: ["argv"], flags: [name], since, inUse: () => true, apply };
}

/** `--flag`, when the option has the value that asks for it. */
export function bare(name: Flag, since: string, when = true): OptionSpec<boolean> {
  return {
    kind: kind.boolean,
    ways: ["argv"],
    flags: [name],
    since,
    inUse: (value) => value === when,
    apply: (draft, _, option) => addFlag(draft, option, name),
  };
}

/** `--flag=a,b`; an empty list is sent, since it means "none". */
export function csv(name: Flag, item: Kind, since: string): OptionSpec<readonly string[]> {
  return {
    kind: kind.listOf(item, "csv"),
    ways: ["argv"],
    flags: [name],
    since,
    inUse: () => true,
    apply: (draft, values, option) => addFlag(draft, option, name, values.join(",")),
  };
}

/** A field of the initialize request, under the same or another name. */
export function initialize<Value>(
  field: keyof Initialize,
  kind: Kind,
  since: string,
): OptionSpec<Value> {
  return {
    kind,
    ways: ["initialize"],
    flags: [],
    since,
    inUse: isFilled,
    apply: ({ initialize }, value) => {
      Object.assign(initialize, { [field]: plain(value) });
    },
  };
}

/** `NAME=value` in the environment. */
export function variable(name: string, kind: Kind): OptionSpec<string> {
  return {
    kind,
    ways: ["env"],
    flags: [],
    inUse: () => true,
    apply: ({ env }, value) => env.set(name, value),
  };
}

interface SpecialRow<Value> {
  readonly kind: Kind;
  readonly ways: readonly Way[];
  readonly flags?: readonly Flag[];
  readonly since?: string;
  readonly inUse?: (value: Value) => boolean;
  readonly apply?: Apply<Value>;
}

/** An option with a function of its own. */
export function special<Value>(row: SpecialRow<Value>): OptionSpec<Value> {
  return { flags: [], inUse: isFilled, ...row };
}

/** What is left of a value on its way through JSON; nothing of the caller's is shared. */
export function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** `false`, an empty list and an empty map ask for nothing. */
function isFilled(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value !== false;
  return Object.keys(value).length > 0;
}
