import { ERROR_CODES, type HawserError } from "../../base/index.js";
import { OPTION_TABLE } from "../../options/index.js";
import { FLAG_OF } from "./call-flags.js";
import { ERROR_ADVICE } from "./error-advice.js";

/** An error of the library in the words of the command. */
export interface ErrorDescription {
  readonly message: string;
  readonly hint: string;
}

/** What happened, and what the user can do about it with the flags of the command. */
export function describeError(error: HawserError): ErrorDescription {
  const { doctor } = ERROR_ADVICE[error.code];
  const hint = describeHint(error);
  // A specific hint is enough. Only the general hint of a code gets the advice to run `hawser doctor`.
  const isGeneral = hint === ERROR_ADVICE[error.code].hint && doctor !== undefined;
  return { message: describeMessage(error), hint: isGeneral ? `${hint} ${doctor}` : hint };
}

/** Like the hint of `describeError()`, but without the advice to run `hawser doctor`. */
export function describeHint({ code, hint }: HawserError): string {
  const { hint: general } = ERROR_ADVICE[code];
  if (hint === ERROR_CODES[code].hint) return general;
  const told = hint.replace(/`([A-Za-z.]+)`/g, (whole, name: string) => flagFor(name) ?? whole);
  // A hint about functions or options of the library is of no use here, so the general one replaces it.
  return [...told.matchAll(/`([A-Za-z]+)([^`]*)`/g)].some(isOfLibrary) ? general : told;
}

/** The message with the flag in place of the option that it is about. */
export function describeMessage({ code, message, issues = [] }: HawserError): string {
  const own = code === "auth" ? message.replace(LOGIN_COMMAND, "") : message;
  if (issues.length === 0) return own;
  // An option name that is also an English word (model, cwd) is replaced only if an issue is about it.
  const [, ...others] = /contradicts (\w+)(?: and (\w+))?/.exec(own) ?? [];
  const about = new Set([...issues.map(({ path = "" }) => path.split(/[.[]/, 1)[0]), ...others]);
  // A field of another object, as in `reviewers[0].systemPrompt`, is no option.
  return own.replaceAll(/(?<![\w.-])([a-z]\w*)(?:\[\d+\])?(?!\w)/g, (word, name: string) =>
    about.has(name) || /[A-Z]/.test(name) ? (flagFor(name) ?? word) : word,
  );
}

/** The CLI's advice to type /login at its own prompt, which the hawser command does not have. */
const LOGIN_COMMAND = /\s*·\s*(?:please )?run \/login.*$/i;

/** Flags of the fleet and of the council, whose options are not those of a call. */
const OTHER_FLAGS: Readonly<Record<string, string>> = {
  budgetUsd: "budget",
  deadline: "deadline",
  key: "key",
  onBusySession: "on-busy",
  quorum: "quorum",
  session: "session",
  startAfter: "start-after",
  timeoutMs: "timeout",
};

function flagFor(name: string): string | undefined {
  const known: Readonly<Record<string, string>> = { ...OTHER_FLAGS, ...FLAG_OF };
  const flag = Object.hasOwn(known, name) ? known[name] : undefined;
  return flag === undefined ? undefined : `--${flag}`;
}

function isOfLibrary([, name = "", rest = ""]: RegExpMatchArray): boolean {
  // Names of tools begin with a capital letter, so that `Bash(…)` is a rule.
  const isFunction = /^[a-z]/.test(name) && /^[\w.]*\(/.test(rest);
  return isFunction || Object.hasOwn(OPTION_TABLE, name);
}
