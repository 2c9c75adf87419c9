/**
 * What a fake CLI does, as plain JSON. For an event without a step it behaves like a working CLI: it
 * prints its version, answers `initialize` and every control request with success and every prompt with
 * "ok", resets the conversation at `/clear`, ends a turn that is interrupted, and exits with 0 at the
 * end of its input (with 1 after an error result) and with 143 at SIGTERM.
 */
export interface Scenario<A = Action> {
  /** What `--version` prints. With a version before 2.1.325, the fake resets a conversation as 2.1.197 does. */
  readonly version?: string;
  /** What the fake does at each event. */
  readonly steps?: readonly Step<A>[];
  /**
   * Whether the fake reports its state and that of each prompt (`session_state_changed`,
   * `command_lifecycle`) from the first turn on, as 2.1.325 does. Otherwise it reports its state only
   * after a reset.
   * @default false
   */
  readonly states?: boolean;
  /**
   * The state of each MCP server, by name. A server that no option of the host names is one that the
   * CLI has found by itself.
   * @default "connected" for each server
   */
  readonly mcp?: Readonly<Record<string, McpState>> | undefined;
  /**
   * Whether the fake keeps the conversation in a transcript, as the CLI does unless it is told not to,
   * and can resume one. The transcript has the model's answers only if the action `model` asked for them.
   * @default false, so that no file is written
   */
  readonly sessions?: boolean;
  /**
   * The file for the record of what arrives, one JSON object on each line.
   * @default a file in the fake's own folder
   */
  readonly record?: string;
}

/** The state of an MCP server, as the CLI reports it. */
export type McpState = "connected" | "failed" | "needs-auth" | "pending" | "disabled";

/** The default export of a `.js` or `.mjs` scenario file. Its steps may also run functions. */
export type ScenarioFile = Scenario<Action | ScenarioFunction>;

/** An action as a function. Only a scenario file can have one. */
export type ScenarioFunction = (cli: ScenarioCli) => void | Promise<void>;

/** The fake CLI, as a function in a scenario file gets it. */
export interface ScenarioCli {
  readonly argv: readonly string[];
  /** The line that caused the step; empty if no line did. */
  readonly message: Json;
  /** The text of that line if it is a prompt. */
  readonly prompt: string;
  /** Prints a message. Adds the session's id and a message id if they are missing. */
  print(message: Json): Promise<void>;
  /** Sends a control request to the host. Rejects if the host answers with an error. */
  ask(request: Json): Promise<Json>;
  /** Runs actions, as a step would. */
  do(...actions: readonly Action[]): Promise<void>;
}

/** What the fake does at an event. Steps for the same event are used one after the other. */
export interface Step<A = Action> {
  readonly on: Trigger;
  /** Only for control requests of this subtype. */
  readonly subtype?: string;
  /**
   * How many events the step serves.
   * @default 1
   */
  readonly times?: number | "always";
  /**
   * The number of the process in which the step applies, counted from 1 in the order of starts. A
   * process that was only asked for its version does not count.
   * @default every process, each with its own count of `times`
   */
  readonly process?: number;
  /** The actions. With an empty list the fake does nothing: no answer, no exit. */
  readonly do: readonly A[];
}

/**
 * The event of a step:
 * - `version`: the fake was started with `--version` or `-v`. It exits with 0 afterwards
 * - `start`: any other start. The fake reads stdin only after this step
 * - `initialize`, `control`: a control request. The fake handles them at once and concurrently
 * - `user`: a prompt. The fake handles prompts one after the other
 * - `clear`: the prompt `/clear`, `/reset` or `/new`, with or without a name after it. It waits for the
 *   prompts before it, and is not a `user` event
 * - `response`: the host answered a control request that `emit` printed
 * - `line`: any other line, including invalid JSON
 * - `eof`: stdin was closed, and no prompt is being handled
 * - `SIGTERM`, `SIGINT`, `SIGHUP`: the fake received this signal
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

/** Something that the fake does. The first key is the name of the action. */
export type Action =
  /** Prints exactly this message, `times` times (default: 1). */
  | { readonly emit: Json; readonly times?: number }
  /** Prints the line that caused this step as `{ type: "echo", line }`. */
  | { readonly echo: true }
  /**
   * Plays a whole turn: init, an assistant line with this text (or the parts of the list), a success
   * result. Calls the hooks that the host has registered, and sends partial messages if the host asked
   * for them.
   */
  | { readonly turn: string | readonly TurnPart[] }
  /**
   * Calls a tool as the CLI does: the hooks before it, the permission unless the tool needs none, the
   * tool, the hooks after it, its result. A tool of a server in the host (`mcp__server__tool`) is really
   * called. A tool that the options remove, or that no server has, does not exist for the fake.
   */
  | ({ readonly tool: string } & ToolCall)
  /**
   * Ends the turn as the real CLI does when the API has failed with this HTTP status and the CLI has
   * given up. With `resetsAt`, the failure is the usage limit of a subscription.
   */
  | { readonly apiError: number; readonly message?: string; readonly resetsAt?: Date | string }
  /**
   * Sends the prompt to the model at ANTHROPIC_BASE_URL, such as a `SimulatedModel`, and calls the tools
   * that the model asks for until it has answered. A built-in tool does nothing, and its result says so.
   */
  | { readonly model: true }
  /** Returns this value for the schema that the host has sent. A host without a schema gets it as text. */
  | { readonly value: unknown }
  /** Calls the hooks that the host has registered for an event, with these fields in their input. */
  | { readonly hook: string; readonly input?: Json }
  /** Sends a control request to the host and waits for the answer; cancels it after `cancelAfterMs`. */
  | { readonly ask: Json; readonly cancelAfterMs?: number }
  /** Starts a background task. When the task has ended, the fake starts a turn by itself. */
  | { readonly background: Background }
  /**
   * Plays a turn whose text is every prompt of the conversation so far, including this one, each on a
   * line. It shows whether a reset has really forgotten the earlier prompts.
   */
  | { readonly turnEcho: true }
  /** Resets the conversation. These fields override those of the usual result. */
  | ({ readonly clear: Json } & Clear)
  /** Prints `system/init`. These fields override the usual ones. */
  | { readonly init: Json }
  /** Prints one assistant line for a text, or one for each content block. */
  | { readonly assistant: string | readonly Json[] }
  /** Prints a success result. These fields override the usual ones. */
  | { readonly result: Json }
  /** Answers the control request that caused this step with success and this payload. */
  | { readonly respond: Json }
  /** Answers the control request that caused this step with an error. */
  | { readonly respondError: string }
  /** Writes this text to stdout unchanged, in pieces of `chunkBytes`, `gapMs` milliseconds apart. */
  | {
      readonly write: string;
      readonly encoding?: "utf8" | "base64";
      readonly chunkBytes?: number;
      readonly gapMs?: number;
    }
  /** Prints an assistant message on one line of this many bytes, or a few more. */
  | { readonly longLine: number }
  /** Writes this text to stderr, `times` times (default: 1). */
  | { readonly stderr: string; readonly times?: number }
  /** Waits this many milliseconds. At a prompt, an interrupt ends the wait and the turn. */
  | { readonly sleep: number }
  /** Waits for ever, even after an interrupt. */
  | { readonly hang: true }
  /** Exits with this code. */
  | { readonly exit: number }
  /** Kills itself with this signal. */
  | { readonly die: string }
  /** Stops reading stdin, so that the fake does not notice its end either. */
  | { readonly stopReading: true }
  /** Closes stdin, so that a write of the host fails. The process keeps running. */
  | { readonly closeStdin: true }
  /** Closes stdout. The process keeps running. */
  | { readonly closeStdout: true }
  /** Starts a process in a session of its own and prints `system/fake_grandchild` with its pid. */
  | { readonly grandchild: Grandchild }
  /** Does what the fake would do without this step. */
  | { readonly default: true };

/** A part of a turn: a text, the content blocks of one message, or an action. */
export type TurnPart = string | readonly Json[] | Action;

/** Options of the action `tool`. */
export interface ToolCall {
  readonly input?: Json;
  /**
   * The result of the tool.
   * @default the input
   */
  readonly result?: string | readonly Json[];
  /** The tool fails with this text. */
  readonly error?: string;
  /**
   * The `tool_use_result` of the line, and the `tool_response` of a hook.
   * @default the result
   */
  readonly structured?: unknown;
  /** Whether the call needs no permission, like a command that only reads. */
  readonly allowed?: boolean;
  /** How long the tool runs, in milliseconds. An interrupt ends it. */
  readonly ms?: number;
}

/** Options of the action `background`. */
export interface Background {
  readonly description?: string;
  /** How long the task takes, in milliseconds. */
  readonly ms?: number;
  readonly status?: "completed" | "failed" | "stopped";
  /**
   * The turn that follows the task.
   * @default "ok"
   */
  readonly next?: string | readonly TurnPart[];
}

/** Options of the action `clear`: how the reset differs from a correct one. */
export interface Clear {
  /** Whether the fake keeps the old session id. */
  readonly keepSession?: boolean;
  /** False: the fake prints no `conversation_reset`. A version before 2.1.325 never prints it. */
  readonly announce?: boolean;
  /**
   * Whether the fake forgets the earlier prompts.
   * @default false if the reset is changed in any way
   */
  readonly forget?: boolean;
}

/** Options of the action `grandchild`: a process in a session of its own. */
export interface Grandchild {
  /**
   * Seconds after which the process ends by itself.
   * @default 300
   */
  readonly seconds?: number;
  readonly ignoreSigterm?: boolean;
  /** Whether the process keeps the stdout and stderr of the fake open. */
  readonly inheritOutput?: boolean;
}
