import { closestName } from "../../base/index.js";
import { type Flags, type Given, usageError } from "./flags.js";

/** A part of a command with a name of its own, such as `show` of `hawser sessions show`. */
export interface Verb<F extends Flags, Call> {
  /** The flags that this verb takes, beside those that all verbs of the command take. */
  readonly flags: readonly (keyof F & string)[];
  /** The least and the greatest number of words after the verb. */
  readonly words: readonly [least: number, most: number];
  /** What the words are, for the error that says that one is missing. */
  readonly needs?: string;
  run(call: Call): Promise<number>;
}

export interface VerbChoice<F extends Flags, Call> {
  /** The name of the command, such as `sessions`. */
  readonly command: string;
  readonly verbs: Readonly<Record<string, Verb<F, Call>>>;
  readonly verb: string;
  /** The words after the verb. */
  readonly words: readonly string[];
  readonly flags: Given<F>;
}

/** Finds the verb, and checks that the words and flags are its own. */
export function chooseVerb<F extends Flags, Call>(choice: VerbChoice<F, Call>): Verb<F, Call> {
  const { command, verbs, verb: name, words, flags } = choice;
  const help = `See \`hawser ${command} --help\`.`;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    const near = closestName(name, Object.keys(verbs));
    const hint = near === undefined ? help : `Did you mean \`hawser ${command} ${near}\`?`;
    throw usageError(`Unknown command ${JSON.stringify(`${command} ${name}`)}.`, hint);
  }
  const [least, most] = verb.words;
  if (words.length < least) {
    throw usageError(`\`hawser ${command} ${name}\` needs ${verb.needs}.`, help);
  }
  const extra = words[most];
  if (extra !== undefined) {
    throw usageError(
      `Unexpected argument ${JSON.stringify(extra)} of \`hawser ${command} ${name}\`.`,
      help,
    );
  }
  const stray = flagsOfVerbs(verbs).find(
    (flag) => isGiven(flags[flag]) && !verb.flags.includes(flag),
  );
  if (stray !== undefined) {
    throw usageError(`\`hawser ${command} ${name}\` does not take --${stray}.`, help);
  }
  return verb;
}

/** The flags that some verbs take and others do not. */
function flagsOfVerbs<F extends Flags, Call>(
  verbs: Readonly<Record<string, Verb<F, Call>>>,
): (keyof F & string)[] {
  return [...new Set(Object.values(verbs).flatMap(({ flags }) => flags))];
}

function isGiven(value: string | readonly string[] | boolean | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
