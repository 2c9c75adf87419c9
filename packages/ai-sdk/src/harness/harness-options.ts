import type { SessionOptions } from "hawser";

/** The options of the CLI that a `HarnessAgent`, or the harness itself, decides. */
type Decided =
  | "abortController"
  | "allowDangerouslySkipPermissions"
  | "canUseTool"
  | "continue"
  | "forkSession"
  | "includePartialMessages"
  | "literalPrompt"
  | "onElicitation"
  | "outputFormat"
  | "permissionMode"
  | "permissionPromptToolName"
  | "permissionPrompts"
  | "persistSession"
  | "pool"
  | "recover"
  | "resume"
  | "resumeDropsTurn"
  | "resumeSessionAt"
  | "sessionId"
  | "signal"
  | "verbatimPrompts";

/**
 * The options of `hawserHarness()`: those of a session of `hawser`, except for what the `HarnessAgent` decides. Its
 * `model`, `instructions`, `tools` and `skills` come on top of these options.
 */
export interface HawserHarnessOptions extends Omit<SessionOptions, Decided> {
  /** The pool whose processes serve the sessions. It stays yours. */
  readonly pool?: object | undefined;
  /**
   * The folder in which the CLI works.
   *
   * @default the folder of `localWorkspace()`
   */
  readonly cwd?: string | undefined;
  /**
   * How long the process of a session is kept after `detach()` or `suspendTurn()`, and while a turn waits for an
   * approval, in milliseconds. After this time the session can still be continued, but with a new process, as after a
   * restart of your program.
   *
   * @default 600_000
   */
  readonly parkMs?: number | undefined;
}
