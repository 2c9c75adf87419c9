import { createMask, type HawserError } from "../../base/index.js";
import { FIXED } from "../apply/extra-args.js";
import type { OptionName } from "../options.js";
import { isMovable } from "../table/option-facts.js";
import type { Draft } from "./draft.js";
import { refusal } from "./version-gate.js";

/** The executable and the arguments that a process is started with. */
export interface Command {
  readonly file: string;
  readonly argv: readonly string[];
}

export function commandOf({ args, cli, host, options }: Draft): Command {
  const flags = [...FIXED, ...args.flatMap(({ tokens }) => tokens)];
  if (cli.script !== true) return { file: cli.path, argv: flags };
  const runtime = options.executable ?? host.execPath;
  return { file: runtime, argv: [...(options.executableArgs ?? []), cli.path, ...flags] };
}

/** Whether the command line is short enough for every platform, and for a list of processes. */
export function fits(draft: Draft): boolean {
  return bytesOf(draft) < LIMIT;
}

const LIMIT = 8192;

/** Whether a secret would be in an argument that can be sent by another channel. */
export function leaks({ args, env, secrets }: Draft): boolean {
  const movable = args.filter(({ option }) => isMovable(option));
  if (movable.length === 0) return false;
  const mask = createMask(env.toObject(), secrets);
  return movable.some(({ tokens }) => tokens.some((token) => mask(token) !== token));
}

/** The error for a command line that is too long. It names the longest option. */
export function tooLong(draft: Draft): HawserError {
  const sizes = new Map<OptionName, number>();
  for (const { option, tokens } of draft.args) {
    sizes.set(option, (sizes.get(option) ?? 0) + sizeOf(tokens));
  }
  const bytes = bytesOf(draft);
  const rest = bytes - [...sizes.values()].reduce((sum, size) => sum + size, 0);
  sizes.set("cliPath", rest);
  const [option] = [...sizes].reduce((a, b) => (b[1] > a[1] ? b : a));
  const message = `${option} is too long: the command line would take ${bytes} bytes.`;
  return refusal(draft.host, "argument_too_long", message, {
    hint: `Shorten \`${option}\`: the command line must stay under ${LIMIT} bytes.`,
    issues: [{ path: option, message: `makes the command line ${bytes} bytes long` }],
  });
}

function bytesOf(draft: Draft): number {
  const { file, argv } = commandOf(draft);
  return sizeOf([file, ...argv]);
}

/** Counts the byte that ends each token. */
function sizeOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + Buffer.byteLength(token) + 1, 0);
}
