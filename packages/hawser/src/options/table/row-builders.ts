import { type Kind, kind } from "../../base/index.js";
import { jsonCopy } from "../apply/json-copy.js";
import { addFlag, type Draft } from "../invocation/draft.js";
import type { Initialize } from "../invocation/invocation.js";
import type { OptionName } from "../options.js";
import type { Channel, Flag, OptionFacts, OptionRow, ResidueRule, ValueOf } from "./option-row.js";

/** The options whose values are all of one type. */
type NameFor<Type> = {
  [Name in OptionName]: ValueOf<Name> extends Type ? Name : never;
}[OptionName];

type Apply<Value> = (draft: Draft, value: Value, name: OptionName) => void;

/**
 * The facts of most general options. A reset leaves nothing of them that matters to the next
 * caller.
 */
export const GENERAL = { scope: "any", general: true, residue: "none", folder: "free" } as const;

/** The facts of most other options. What a reset leaves of them was not examined. */
export const PARTICULAR = {
  scope: "any",
  general: false,
  residue: "unknown",
  folder: "free",
} as const;

/** The facts of other options of which a reset leaves nothing. */
export const CLEAN = { scope: "any", general: false, residue: "none", folder: "free" } as const;

/** An option that only this library obeys. */
export function host<Name extends OptionName>(
  kind: Kind,
  facts: OptionFacts<Name>,
): OptionRow<Name> {
  return { ...facts, kind, channels: ["host"], flags: [], inUse: () => true };
}

/** `--flag=value` */
export function flag<Name extends NameFor<string | number>>(
  name: Flag,
  kind: Kind,
  since: string,
  facts: OptionFacts<Name>,
): OptionRow<Name> {
  return {
    ...facts,
    kind,
    channels: ["argv"],
    flags: [name],
    since,
    inUse: () => true,
    apply: (draft, value, option) => addFlag(draft, option, name, `${value}`),
  };
}

/** `--flag`, when the option has the value that asks for it. */
export function bare<Name extends NameFor<boolean>>(
  name: Flag,
  since: string,
  facts: OptionFacts<Name>,
  when = true,
): OptionRow<Name> {
  return {
    ...facts,
    kind: kind.boolean,
    channels: ["argv"],
    flags: [name],
    since,
    inUse: (value) => value === when,
    apply: (draft, _, option) => addFlag(draft, option, name),
  };
}

/** `--flag=a,b`; an empty list is sent, because it means "none". */
export function csv<Name extends NameFor<readonly string[]>>(
  name: Flag,
  item: Kind,
  since: string,
  facts: OptionFacts<Name>,
): OptionRow<Name> {
  return {
    ...facts,
    kind: kind.listOf(item, "csv"),
    channels: ["argv"],
    flags: [name],
    since,
    inUse: () => true,
    apply: (draft, values, option) => addFlag(draft, option, name, values.join(",")),
  };
}

/** A field of the initialize request, under the same or another name. */
export function initialize<Name extends OptionName>(
  field: keyof Initialize,
  kind: Kind,
  since: string,
  facts: OptionFacts<Name>,
): OptionRow<Name> {
  return {
    ...facts,
    kind,
    channels: ["initialize"],
    flags: [],
    since,
    inUse: isFilled,
    apply: ({ initialize }, value) => {
      Object.assign(initialize, { [field]: jsonCopy(value) });
    },
  };
}

/** `NAME=value` in the environment. */
export function variable<Name extends NameFor<string>>(
  name: string,
  kind: Kind,
  facts: OptionFacts<Name>,
): OptionRow<Name> {
  return {
    ...facts,
    kind,
    channels: ["env"],
    flags: [],
    inUse: () => true,
    apply: ({ env }, value) => env.set(name, value),
  };
}

type SpecialRow<Name extends OptionName> = OptionFacts<Name> & {
  readonly kind: Kind;
  readonly channels: readonly Channel[];
  readonly flags?: readonly Flag[];
  readonly since?: string;
  readonly isEssential?: true;
  readonly inUse?: (value: ValueOf<Name>) => boolean;
  readonly apply?: Apply<ValueOf<Name>>;
};

/** An option with a function of its own. */
export function special<Name extends OptionName>(row: SpecialRow<Name>): OptionRow<Name> {
  return { flags: [], inUse: isFilled, ...row };
}

/** An option with flags, and a function of its own that writes them. */
export function flagged<Name extends OptionName>(
  row: Omit<SpecialRow<Name>, "channels">,
): OptionRow<Name> {
  return special<Name>({ ...row, channels: ["argv"] } as SpecialRow<Name>);
}

/** `false`, an empty list and an empty map ask for nothing. */
function isFilled(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value !== false;
  return Object.keys(value).length > 0;
}

/** A rule that says what a reset leaves of every value except the clean ones. */
export function unless<Value>(
  isClean: (value: Value) => boolean,
  leaves: string,
): ResidueRule<Value> {
  return { isClean, leaves };
}

/** A rule for an option that must be set, because the CLI's default also leaves something. */
export function unlessGiven<Value>(
  isClean: (value: Value) => boolean,
  leaves: string,
): ResidueRule<Value> {
  return { isClean, leaves, unset: "leaves_too" };
}

export const MAY_LEAVE = "may leave something behind that a reset does not clear";

export const isTrue = (value: boolean): boolean => value === true;

export const isFalse = (value: boolean): boolean => value === false;

/** For a list or a map. */
export function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
