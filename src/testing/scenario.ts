/**
 * What a fake CLI does, as plain JSON. Where nothing is scripted it behaves as a well-mannered CLI:
 * it prints its version, answers `initialize` and every control request with success and every prompt
 * with "ok", resets the conversation at `/clear`, leaves with code 0 at the end of its input (1 after
 * an error result), 143 at SIGTERM.
 */
export interface Scenario {
  /** What `--version` prints. One before 2.1.325 also resets a conversation as 2.1.197 does. */
  readonly version?: string;
  readonly steps?: readonly Step[];
  /** Where to note what arrives, if not in the fake's own folder: one JSON object a line. */
  readonly record?: string;
}

/** What happens at an event. Steps for the same event are used one after the other. */
export interface Step {
  readonly on: Trigger;
  /** Only for control requests of this subtype. */
  readonly subtype?: string;
  /** How many events it serves: 1 unless given. */
  readonly times?: number | "always";
  /**
   * Only in the first, second, … process of this fake, counted from 1 as they come up; those that were
   * asked for their version do not count. Without it each process has the step, and its times, anew.
   */
  readonly process?: number;
  /** An empty list does nothing: no answer, no exit. */
  readonly do: readonly Action[];
}

/**
 * - `version`: started with `--version` or `-v`; it exits with 0 afterwards
 * - `start`: any other start; stdin is read only when this step is over
 * - `initialize`, `control`: a control request. They are handled as they come, side by side
 * - `user`: a prompt. Prompts are handled one after the other
 * - `clear`: a prompt that is `/clear`, `/reset` or `/new`, maybe with a name behind it. It waits for
 *   the prompts before it, and is no `user`
 * - `response`: an answer of the host to a control request of the CLI
 * - `line`: any other line, bad JSON too
 * - `eof`: stdin has ended and no prompt is being handled
 * - `SIGTERM`, `SIGINT`, `SIGHUP`: that signal came
 */
export type Trigger =
  | "version"
  | "start"
  | "initialize"
  | "control"
  | "user"
  | "clear"
  | "response"
  | "line"
  | "eof"
  | "SIGTERM"
  | "SIGINT"
  | "SIGHUP";

type Json = Readonly<Record<string, unknown>>;

/** One thing to do. The first key says what. */
export type Action =
  /** Prints a message, exactly this one, so many times. */
  | { readonly emit: Json; readonly times?: number }
  /** Prints the line that this step is about inside `{ type: "echo", line }`. */
  | { readonly echo: true }
  /** Prints a whole turn: init, an assistant line with this text, a success result. */
  | { readonly turn: string }
  /**
   * A turn whose text is every prompt of the conversation so far, this one included, each on a line:
   * it shows whether a reset has really forgotten what was said before.
   */
  | { readonly turnEcho: true }
  /** Resets the conversation, with these fields over the usual ones of the result. */
  | ({ readonly clear: Json } & Clear)
  /** Prints `system/init`, with these fields over the usual ones. */
  | { readonly init: Json }
  /** Prints one assistant line for a text, or one for each content block. */
  | { readonly assistant: string | readonly Json[] }
  /** Prints a success result, with these fields over the usual ones. */
  | { readonly result: Json }
  /** Answers the control request that this step is about: success, with this payload. */
  | { readonly respond: Json }
  /** Answers it with an error. */
  | { readonly respondError: string }
  /** Writes this text to stdout as it is; in pieces of so many bytes, so many milliseconds apart. */
  | {
      readonly write: string;
      readonly encoding?: "utf8" | "base64";
      readonly chunkBytes?: number;
      readonly gapMs?: number;
    }
  /** Prints an assistant message on one line of so many bytes, or a few more. */
  | { readonly longLine: number }
  /** Writes to stderr, so many times. */
  | { readonly stderr: string; readonly times?: number }
  /** Milliseconds. */
  | { readonly sleep: number }
  /** Never goes on. */
  | { readonly hang: true }
  | { readonly exit: number }
  /** Ends itself by a signal. */
  | { readonly die: string }
  /** Reads no further line, and does not see the end of stdin. */
  | { readonly stopReading: true }
  /** Closes stdin, so that a write of the host fails, and lives on. */
  | { readonly closeStdin: true }
  /** Closes stdout and lives on. */
  | { readonly closeStdout: true }
  /** Starts a process in a session of its own and prints `system/fake_grandchild` with its pid. */
  | { readonly grandchild: Grandchild }
  /** What would have happened without this step. */
  | { readonly default: true };

/** How a reset goes wrong. */
export interface Clear {
  /** Goes on under the old session id. */
  readonly keepSession?: boolean;
  /** False: no `conversation_reset`. A version before 2.1.325 has none anyway. */
  readonly announce?: boolean;
  /** Whether what was said is forgotten. Unless given, a reset that is changed in any way does not. */
  readonly forget?: boolean;
}

export interface Grandchild {
  /** How long it lives if nobody ends it; 300 unless given. */
  readonly seconds?: number;
  readonly ignoreSigterm?: boolean;
  /** Holds the CLI's stdout and stderr open. */
  readonly inheritOutput?: boolean;
}
