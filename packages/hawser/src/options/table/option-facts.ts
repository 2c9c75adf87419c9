import { lazy } from "../../base/index.js";
import type { OptionName, Options } from "../options.js";
import type { GeneralOption, OptionSpec, Residue, Scope } from "./option-row.js";
import { OPTION_NAMES, OPTION_TABLE } from "./option-table.js";
import { MAY_LEAVE } from "./row-builders.js";

/** A row whose option is known only at run time. */
export interface AnyRow extends OptionSpec<unknown> {
  readonly scope: Scope | Readonly<Record<string, Scope>>;
  readonly general: boolean;
  readonly residue: Residue<unknown>;
  readonly folder: "free" | "fixed";
  readonly ofCaller?: true;
}

export function rowOf(name: OptionName): AnyRow {
  return OPTION_TABLE[name] as AnyRow;
}

/** The options, and fields of options, with one of these scopes, as paths in alphabetical order. */
export function pathsOfScope(...scopes: readonly Scope[]): readonly string[] {
  return sortedNames().flatMap((name) => {
    const { scope } = rowOf(name);
    if (typeof scope === "string") return scopes.includes(scope) ? [name] : [];
    const fields = Object.entries(scope).filter(([, each]) => scopes.includes(each));
    return fields.map(([field]) => `${name}.${field}`);
  });
}

/** The general options in alphabetical order. */
export function generalOptions(): readonly GeneralOption[] {
  return sortedNames().filter(isGeneral);
}

const sortedNames = lazy(() => [...OPTION_NAMES].sort());

function isGeneral(name: OptionName): name is GeneralOption {
  return rowOf(name).general;
}

/** The options that concern only the caller of one call, so that no process depends on them. */
export const CALLER_OPTIONS: ReadonlySet<string> = new Set(
  OPTION_NAMES.filter((name) => rowOf(name).ofCaller),
);

/** What a reset of the conversation leaves of an option in the process; undefined if nothing. */
export function residueOf<Name extends OptionName>(
  name: Name,
  value: Options[Name],
): string | undefined {
  // An unknown option may leave anything.
  if (!Object.hasOwn(OPTION_TABLE, name)) return MAY_LEAVE;
  const { residue } = rowOf(name);
  if (typeof residue === "string") {
    return residue === "none" || value === undefined ? undefined : MAY_LEAVE;
  }
  const isClean = value === undefined ? residue.unset === undefined : residue.isClean(value);
  return isClean ? undefined : residue.leaves;
}

/** Whether a process with these options belongs to the one session that it was started for. */
export function isExclusive(options: Options): boolean {
  return givenNames(options).some((name) => rowOf(name).residue === "exclusive");
}

/** Whether the options mean the same for a CLI that gets its working directory after the start. */
export function isFolderFree(options: Options): boolean {
  return givenNames(options).every((name) => rowOf(name).folder === "free");
}

function givenNames(options: Options): OptionName[] {
  return OPTION_NAMES.filter((name) => options[name] !== undefined);
}

/** Whether the option is on the command line and could be sent by another channel instead. */
export function isMovable(name: OptionName): boolean {
  const { channels } = rowOf(name);
  return (
    channels.includes("argv") && (channels.includes("file") || channels.includes("initialize"))
  );
}
