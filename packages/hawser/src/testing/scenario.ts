/**
 * What a fake CLI does, as plain JSON. Where nothing is scripted it behaves as a well-mannered CLI:
 * it prints its version, answers `initialize` and every control request with success and every prompt
 * with "ok", resets the conversation at `/clear`, ends a turn that is interrupted, leaves with code 0
 * at the end of its input (1 after an error result), 143 at SIGTERM.
 */
export interface Scenario<A = Action> {
  /** What `--version` prints. One before 2.1.325 also resets a conversation as 2.1.197 does. */
  readonly version?: string;
  readonly steps?: readonly Step<A>[];
  /**
   * Tells its state and that of each prompt (`session_state_changed`, `command_lifecycle`) from the
   * first turn on, as 2.1.325 does; else its state only after a reset.
   */
  readonly states?: boolean;
  /**
   * The state of MCP servers: "connected" unless given. A server that is not told of by any option is
   * one that the CLI has found by itself.
   */
  readonly mcp?: Readonly<Record<string, McpState>> | undefined;
  /**
   * Keeps the conversation in a transcript, as the CLI does unless it is told not to, and resumes one.
   * What the model says is in it where the action `model` asked one. Without it no file is written.
   */
  readonly sessions?: boolean;
  /** Where to note what arrives, if not in the fake's own folder: one JSON object a line. */
  readonly record?: string;
}

export type McpState = "connected" | "failed" | "needs-auth" | "pending" | "disabled";

/** What a `.js` or `.mjs` file has as its default export: there a step may also run functions. */
export type ScenarioFile = Scenario<Action | ScenarioFunction>;

/** An action in code; only in a scenario that is a file. */
export type ScenarioFunction = (cli: ScenarioCli) => void | Promise<void>;

/** The fake CLI as a function in its scenario sees it. */
export interface ScenarioCli {
  readonly argv: readonly string[];
  /** The line that the step is about; empty if it is about none. */
  readonly message: Json;
  /** The text of that line, if it is a prompt. */
  readonly prompt: string;
  /** Prints a message, with the session's id and an id of its own unless it has them. */
  print(message: Json): Promise<void>;
  /** Sends a control request to the host. Rejects with the error that the host answers with. */
  ask(request: Json): Promise<Json>;
  /** Does actions as a step would. */
  do(...actions: readonly Action[]): Promise<void>;
}

/** What happens at an event. Steps for the same event are used one after the other. */
export interface Step<A = Action> {
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
  readonly do: readonly A[];
}

/**
 * - `version`: started with `--version` or `-v`; it exits with 0 afterwards
 * - `start`: any other start; stdin is read only when this step is over
 * - `initialize`, `control`: a control request. They are handled as they come, side by side
 * - `user`: a prompt. Prompts are handled one after the other
 * - `clear`: a prompt that is `/clear`, `/reset` or `/new`, maybe with a name behind it. It waits for
 *   the prompts before it, and is no `user`
 * - `response`: an answer of the host to a control request that was printed by `emit`
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

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** One thing to do. The first key says what. */
export type Action =
  /** Prints a message, exactly this one, so many times. */
  | { readonly emit: Json; readonly times?: number }
  /** Prints the line that this step is about inside `{ type: "echo", line }`. */
  | { readonly echo: true }
  /**
   * A whole turn: init, an assistant line with this text, a success result; or what the list says in
   * between. The hooks that the host has registered are called, and a host that wants partial messages
   * gets them.
   */
  | { readonly turn: string | readonly TurnPart[] }
  /**
   * Calls a tool as the CLI does: the hooks before it, the permission unless the tool needs none, the
   * tool, the hooks behind it, its result. A tool of a server in the host (`mcp__server__tool`) is
   * really called. One that the options take away, or that no server has, is not there.
   */
  | ({ readonly tool: string } & ToolCall)
  /**
   * The API refuses, with this HTTP status, and the turn ends as on the real CLI once it has given up.
   * With `resetsAt` it is the usage limit of a subscription.
   */
  | { readonly apiError: number; readonly message?: string; readonly resetsAt?: Date | string }
  /**
   * Asks the model at ANTHROPIC_BASE_URL, such as a `SimulatedModel`, and calls the tools that it asks
   * for until it has answered. A built-in tool does nothing, and says so.
   */
  | { readonly model: true }
  /** Gives this value for the schema that the host has sent; to a host without one it is text. */
  | { readonly value: unknown }
  /** Calls the hooks that the host has registered for an event, with these fields in their input. */
  | { readonly hook: string; readonly input?: Json }
  /** Sends a control request to the host and waits for the answer, or takes it back after so long. */
  | { readonly ask: Json; readonly cancelAfterMs?: number }
  /** A task behind the turn; when it is over, the CLI starts a turn by itself. */
  | { readonly background: Background }
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
  /** Milliseconds. At a prompt, an interrupt ends it, and with it the turn. */
  | { readonly sleep: number }
  /** Never goes on, not even at an interrupt. */
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

/** What happens in a turn: a text, the content blocks of one message, or an action. */
export type TurnPart = string | readonly Json[] | Action;

/** A call of a tool, as an action. */
export interface ToolCall {
  readonly input?: Json;
  /** What the tool gives: by default, what it was called with. */
  readonly result?: string | readonly Json[];
  /** The tool fails with this text. */
  readonly error?: string;
  /** The line's `tool_use_result`, and the `tool_response` of a hook: by default the result. */
  readonly structured?: unknown;
  /** Needs no permission, as a command that only reads. */
  readonly allowed?: boolean;
  /** How long it runs, in milliseconds; an interrupt ends it. */
  readonly ms?: number;
}

/** A task behind a turn. */
export interface Background {
  readonly description?: string;
  /** How long it takes. */
  readonly ms?: number;
  readonly status?: "completed" | "failed" | "stopped";
  /** The turn that follows; "ok" unless given. */
  readonly next?: string | readonly TurnPart[];
}

/** How a reset goes wrong. */
export interface Clear {
  /** Goes on under the old session id. */
  readonly keepSession?: boolean;
  /** False: no `conversation_reset`. A version before 2.1.325 has none anyway. */
  readonly announce?: boolean;
  /** Whether what was said is forgotten. Unless given, a reset that is changed in any way does not. */
  readonly forget?: boolean;
}

/** A process that the fake starts, in a session of its own. */
export interface Grandchild {
  /** How long it lives if nobody ends it; 300 unless given. */
  readonly seconds?: number;
  readonly ignoreSigterm?: boolean;
  /** Holds the CLI's stdout and stderr open. */
  readonly inheritOutput?: boolean;
}
