import { type ErrorCode, type ErrorFacts, HawserError, type Mask } from "../errors/index.js";

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote to stderr, at most 128 KiB. */
  readonly stderrTail: string;
}

/** The error for a CLI that ended without being asked to. Facts of the caller's are added to it. */
export function exitError(exit: Exit, facts: ErrorFacts, mask?: Mask): HawserError {
  const { code, message } = explain(exit);
  return new HawserError(
    code,
    message,
    {
      ...facts,
      ...(exit.code === null ? {} : { exitCode: exit.code }),
      ...(exit.signal === null ? {} : { signal: exit.signal }),
      ...(exit.stderrTail === "" ? {} : { stderrTail: exit.stderrTail }),
    },
    mask,
  );
}

/**
 * A refusal to start exists only as text on stderr, so here, and only here, that text is read.
 * Whatever is not recognised keeps the plain code, with the text beside it.
 */
const REFUSALS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/unknown option/i, "unsupported_by_cli"],
  [/cannot be used with root/i, "root_refused"],
  [/No conversation found|No session found|not a UUID and does not match/i, "session_not_found"],
  [/Session ID .* is already in use/i, "session_in_use"],
  [/cannot be launched inside another Claude Code session/i, "nested_session"],
];

function explain({ code, signal, stderrTail }: Exit): { code: ErrorCode; message: string } {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const said = lastWords(stderrTail);
  const message = `The CLI process ended by ${how}${said === "" ? "." : `: ${said}`}`;
  // A start-up refusal ends in exit code 1; the same words in another ending mean something else.
  const refusal = code === 1 ? REFUSALS.find(([words]) => words.test(stderrTail)) : undefined;
  return { code: refusal?.[1] ?? "process_exited", message };
}

function lastWords(stderrTail: string): string {
  const lines = stderrTail.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-3).join(" ").slice(-500);
}
