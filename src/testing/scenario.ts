/**
 * What a fake CLI does, as plain JSON. Where nothing is scripted it behaves as a well-mannered CLI:
 * it prints its version, answers `initialize` and every control request with success and every prompt
 * with "ok", leaves with code 0 at the end of its input (1 after an error result), 143 at SIGTERM.
 */
export interface Scenario {
  /** What `--version` prints. */
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
  /** An empty list does nothing: no answer, no exit. */
  readonly do: readonly Action[];
}

/**
 * - `version`: started with `--version` or `-v`; it exits with 0 afterwards
 * - `start`: any other start; stdin is read only when this step is over
 * - `initialize`, `control`: a control request. They are handled as they come, side by side
 * - `user`: a prompt. Prompts are handled one after the other
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

export interface Grandchild {
  /** How long it lives if nobody ends it; 300 unless given. */
  readonly seconds?: number;
  readonly ignoreSigterm?: boolean;
  /** Holds the CLI's stdout and stderr open. */
  readonly inheritOutput?: boolean;
}
