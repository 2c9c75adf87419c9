import { parseArgs } from "node:util";
import { closestName, HawserError } from "../../base/index.js";

/** One option of a command; a switch unless it has a value. */
export interface Flag {
  readonly help: string;
  readonly short?: string;
  /** The name of the value in the help. */
  readonly value?: string;
  /** May be given several times. */
  readonly many?: true;
  /** The value may be left out. If it is given, `=` must join it to the flag. */
  readonly optional?: true;
  /** The empty string is a valid value. */
  readonly mayBeEmpty?: true;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The given flags: a text, a list of texts, or a boolean. An optional value that is missing is "". */
export type Given<F extends Flags> = {
  readonly [N in keyof F]: F[N] extends { readonly value: string }
    ? F[N] extends { readonly many: true }
      ? readonly string[]
      : string | undefined
    : boolean;
};

export interface Parsed<F extends Flags> {
  readonly flags: Given<F>;
  readonly words: readonly string[];
}

/** Reads arguments. An unknown option throws an error that suggests the closest known one. */
export function parseFlags<F extends Flags>(args: readonly string[], flags: F): Parsed<F> {
  const options = Object.entries(flags).map(([name, { value, short, optional }]) => [
    name,
    {
      // An optional value must be joined by `=`, so the next word is never taken for it.
      type: value === undefined || optional ? ("boolean" as const) : ("string" as const),
      ...(short === undefined ? {} : { short }),
    },
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    tokens: true,
  });
  const found = new Map<string, string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const value = checked(token, flags);
    found.set(token.name, [...(found.get(token.name) ?? []), value]);
  }
  return { flags: collect(flags, found), words };
}

/** The default hint of a usage error. Each command replaces it by a pointer to its own help. */
export const SEE_HELP = "See `hawser --help`.";

/** An error in the command line. */
export function usageError(message: string, hint: string = SEE_HELP): HawserError {
  return new HawserError("invalid_options", message, { hint });
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether it is joined by `=`. */
  readonly inlineValue?: boolean | undefined;
}

function checked({ name, rawName, value, inlineValue }: OptionToken, flags: Flags): string {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined) {
    const meant = closestName(name, Object.keys(flags));
    const hint = meant === undefined ? undefined : `Did you mean --${meant}?`;
    throw usageError(`Unknown option ${rawName}.`, hint);
  }
  if (flag.value === undefined && value !== undefined) {
    throw usageError(`${rawName} does not take a value.`);
  }
  const isForgotten = value === undefined || (value.startsWith("--") && inlineValue === false);
  // An empty value usually comes from a shell variable that is not set.
  const isEmpty = value === "" && !flag.mayBeEmpty;
  if (flag.value !== undefined && !flag.optional && (isForgotten || isEmpty)) {
    throw usageError(`${rawName} needs a value: ${rawName} <${flag.value}>.`);
  }
  return value ?? "";
}

function collect<F extends Flags>(flags: F, found: ReadonlyMap<string, string[]>): Given<F> {
  const values = Object.entries(flags).map(([name, { value, many }]) => {
    const all = found.get(name);
    if (value === undefined) return [name, all !== undefined];
    if (many) return [name, all ?? []];
    if (all !== undefined && all.length > 1) throw usageError(`--${name} was given twice.`);
    return [name, all?.[0]];
  });
  return Object.fromEntries(values) as Given<F>;
}
