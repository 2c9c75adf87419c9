import { isHawserError } from "../../base/index.js";
import { columns } from "../terminal/columns.js";
import { type Flag, type Flags, type Parsed, parseFlags, SEE_HELP, usageError } from "./flags.js";

/** A command as its file declares it. */
export interface CommandSpec<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** The forms of a call, without the name of the command. */
  readonly usage: readonly string[];
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  readonly flags: F;
  /** Shown at the end of the help. */
  readonly notes?: string;
  /** The most words that the command takes beside its options; without a number, any. */
  readonly words?: number;
  /** Resolves to the exit code. */
  run(given: Parsed<F>): Promise<number>;
}

/** A command as `main` calls it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly flags: Flags;
  help(): string;
  run(args: readonly string[]): Promise<number>;
}

export function defineCommand<F extends Flags>(spec: CommandSpec<F>): Command {
  const { name, summary, flags } = spec;
  return {
    name,
    summary,
    flags,
    help: () => helpOf(spec),
    run: async (args) => {
      try {
        return await call(spec, args);
      } catch (error) {
        if (!isHawserError(error, "invalid_options") || error.hint !== SEE_HELP) throw error;
        throw error.withFacts({ hint: `See \`hawser ${name} --help\`.` });
      }
    },
  };
}

async function call<F extends Flags>(
  spec: CommandSpec<F>,
  args: readonly string[],
): Promise<number> {
  const given = parseFlags(args, spec.flags);
  const extra = spec.words === undefined ? undefined : given.words[spec.words];
  if (extra !== undefined) {
    throw usageError(`Unexpected argument ${JSON.stringify(extra)}.`);
  }
  return spec.run(given);
}

function helpOf<F extends Flags>(spec: CommandSpec<F>): string {
  const { name, summary, usage, examples, flags, notes } = spec;
  const parts = [
    `${summary}.`,
    `Usage\n${usage.map((each) => `  hawser ${name} ${each}`.trimEnd()).join("\n")}`,
    `Examples\n${columns(examples.map(([line, purpose]) => [line, purpose]))}`,
    `Options\n${columns(Object.entries(flags).map(([flag, about]) => [left(flag, about), about.help]))}`,
    ...(notes === undefined ? [] : [notes]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function left(name: string, { short, value, optional }: Flag): string {
  const long = value === undefined ? `--${name}` : `--${name}${optional ? "[=" : " <"}${value}`;
  const closed = value === undefined ? long : `${long}${optional ? "]" : ">"}`;
  return short === undefined ? `    ${closed}` : `-${short}, ${closed}`;
}
