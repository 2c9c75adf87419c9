import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  HawserError,
  hostMask,
  type Mask,
} from "../../base/index.js";

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what the process wrote to stderr, at most 128 KiB. */
  readonly stderrTail: string;
  /** The error that the process of a custom spawn function reported in place of an exit. */
  readonly error?: Error;
}

/** How a process ended, as facts of an error. */
export function exitFacts({ code, signal, stderrTail }: Exit): ErrorFacts {
  return {
    ...(code === null ? {} : { exitCode: code }),
    ...(signal === null ? {} : { signal }),
    ...(stderrTail === "" ? {} : { stderrTail }),
  };
}

/**
 * The error for a CLI that exited without being asked to. `hadStarted` says that it had sent a
 * message before, so its exit is not a refusal to start.
 */
export function exitError(
  exit: Exit,
  hadStarted: boolean,
  facts: ErrorFacts = {},
  mask: Mask = hostMask(),
): HawserError {
  if (exit.error !== undefined) return failedError(exit, exit.error, hadStarted, facts, mask);
  // Masked before it is cut, because a cut may begin in the middle of a secret.
  const stderrTail = mask(exit.stderrTail);
  const end = describe({ ...exit, stderrTail });
  const known = { ...facts, ...exitFacts(exit) };
  const refusal = hadStarted || exit.code !== 1 ? undefined : refusalIn(stderrTail);
  if (refusal === undefined) return new HawserError("process_exited", end, known, mask);
  const { code, sentence = ERROR_CODES[code].sentence, hint } = refusal;
  const advised = hint === undefined ? known : { ...known, hint };
  // The cause comes first, because a reader may see nothing else.
  return new HawserError(code, `${sentence} ${end}`, advised, mask);
}

function failedError(
  exit: Exit,
  cause: Error,
  hadStarted: boolean,
  facts: ErrorFacts,
  mask: Mask,
): HawserError {
  const message = `The CLI process failed: ${cause.message ?? cause}`;
  const code = hadStarted ? "process_exited" : "spawn_failed";
  return new HawserError(code, message, { ...facts, ...exitFacts(exit), cause }, mask);
}

/**
 * A refusal to start exists only as text on stderr. Only this table reads that text. An exit that
 * the table does not recognise is `process_exited`, with the text as a fact.
 */
const REFUSALS: readonly Refusal[] = [
  { words: /unknown option/i, code: "unsupported_by_cli" },
  {
    words: /option '[^']*' argument '.*' is invalid/i,
    code: "unsupported_by_cli",
    sentence: "The CLI does not accept the value of an option.",
    hint: "Use a value that the CLI names. If the value is newer than your CLI, update the CLI.",
  },
  { words: /cannot be used with root/i, code: "root_refused" },
  {
    words: /No conversation found|not match any session|valid session ID or session title/i,
    code: "session_not_found",
  },
  { words: /Session ID .* is already in use/i, code: "session_in_use" },
  { words: /cannot be launched inside another Claude Code session/i, code: "nested_session" },
];

interface Refusal {
  readonly words: RegExp;
  readonly code: ErrorCode;
  /** In place of the sentence of the code. */
  readonly sentence?: string;
  /** In place of the hint of the code. */
  readonly hint?: string;
}

function refusalIn(stderrTail: string): Refusal | undefined {
  return REFUSALS.find(({ words }) => words.test(stderrTail));
}

function describe({ code, signal, stderrTail }: Exit): string {
  const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
  const said = lastWords(stderrTail);
  return `The CLI process ended ${how}${said === "" ? "." : `: ${said}`}`;
}

function lastWords(stderrTail: string): string {
  const lines = stderrTail.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-3).join(" ").slice(-500);
}
