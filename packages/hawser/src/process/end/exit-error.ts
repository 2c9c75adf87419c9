import {
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
  const refusal = hadStarted || exit.code !== 1 ? undefined : refusalIn(stderrTail);
  const message = describe({ ...exit, stderrTail });
  return new HawserError(
    refusal ?? "process_exited",
    message,
    { ...facts, ...exitFacts(exit) },
    mask,
  );
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
const REFUSALS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/unknown option|option '[^']*' argument '.*' is invalid/i, "unsupported_by_cli"],
  [/cannot be used with root/i, "root_refused"],
  [
    /No conversation found|not match any session|valid session ID or session title/i,
    "session_not_found",
  ],
  [/Session ID .* is already in use/i, "session_in_use"],
  [/cannot be launched inside another Claude Code session/i, "nested_session"],
];

function refusalIn(stderrTail: string): ErrorCode | undefined {
  return REFUSALS.find(([words]) => words.test(stderrTail))?.[1];
}

function describe({ code, signal, stderrTail }: Exit): string {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const said = lastWords(stderrTail);
  return `The CLI process ended by ${how}${said === "" ? "." : `: ${said}`}`;
}

function lastWords(stderrTail: string): string {
  const lines = stderrTail.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-3).join(" ").slice(-500);
}
