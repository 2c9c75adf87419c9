import type { Kind } from "../../base/index.js";
import type { Draft } from "../invocation/draft.js";
import type { OptionName, Options } from "../options.js";

/** How an option is sent: to the CLI by one of five channels, or to `host`, this library itself. */
export type Channel = "argv" | "env" | "file" | "initialize" | "prompt" | "host";

/** The value of an option that is set. */
export type ValueOf<Name extends OptionName> = NonNullable<Options[Name]>;

/** One row of the table: how an option is sent to the CLI, and what is known about it. */
export interface OptionRow<Name extends OptionName>
  extends OptionSpec<ValueOf<Name>>,
    OptionFacts<Name> {}

export type OptionTable = { readonly [Name in OptionName]-?: OptionRow<Name> };

/** How an option is checked and sent. */
export interface OptionSpec<Value> {
  readonly kind: Kind;
  readonly channels: readonly Channel[];
  /** The CLI's flags that belong to this option; `extraArgs` may not repeat them. */
  readonly flags: readonly Flag[];
  /** First version of the CLI that has the option; absent if the CLI need not know it. */
  readonly since?: string;
  /**
   * Present if the option is never left out: a CLI that is too old for it or whose version is not known is
   * refused, whatever `onOldCli` says.
   */
  readonly isEssential?: true;
  /** Whether the value asks anything of the CLI. */
  readonly inUse: (value: Value) => boolean;
  /** Writes the value to its channels; absent if another row or layer does this. */
  readonly apply?: (draft: Draft, value: Value, name: OptionName) => void;
}

export type Flag = `--${string}`;

/** What is known about an option besides its way to the CLI. Every row states all of it. */
export interface OptionFacts<Name extends OptionName> {
  readonly scope: ScopeOf<Name>;
  /**
   * Whether the option says how work is done in general: by which program and account, with which
   * model, tools and files, within which limits. Not general are options that name or keep one
   * conversation, shape one answer, ask a person, or belong to a single feature of the CLI.
   */
  readonly general: Name extends GeneralOption ? true : false;
  readonly residue: Residue<ValueOf<Name>>;
  /**
   * Whether the option means the same for a CLI that gets its working directory after the start.
   * `fixed`: it does not, because the CLI then forgets added directories and has already resolved
   * all other paths.
   */
  readonly folder: "free" | "fixed";
  /**
   * Present if the option concerns only the caller of one call: a process is started and told the same
   * with any value of it.
   */
  readonly ofCaller?: true;
}

/**
 * What an option, or a field of it, is about:
 * - `any`: the process and its conversation;
 * - `turn`: one prompt and its answer, if they can be distinguished from others;
 * - `call`: one outcome, which may take several turns and several processes;
 * - `session`: a conversation that outlives its process;
 * - `pool`: a process that serves several callers.
 */
export type Scope = "any" | "turn" | "call" | "session" | "pool";

type ScopeOf<Name extends OptionName> = Name extends CallOption
  ? "call"
  : Name extends SessionOption
    ? "session"
    : "any" | "turn" | "pool" | { readonly [Field in keyof ValueOf<Name>]-?: Scope };

/**
 * What a reset of the conversation (`/clear`) leaves of an option in the process:
 * - `none`: nothing that matters to the next caller with the same options;
 * - `unknown`: it was not examined, so it counts as something;
 * - `exclusive`: the process belongs to the one session that it was started for;
 * - a rule, if it depends on the value.
 */
export type Residue<Value> = "none" | "unknown" | "exclusive" | ResidueRule<Value>;

export interface ResidueRule<Value> {
  /** Whether this value leaves nothing. */
  readonly isClean: (value: Value) => boolean;
  /** What any other value leaves. */
  readonly leaves: string;
  /** What the CLI does if the option is not set; undefined if that leaves nothing. */
  readonly unset?: "leaves_too";
}

/**
 * The options whose scope is `call`. A type cannot be read from the table, so a check compares
 * both.
 */
export type CallOption =
  | "autoResume"
  | "clientTools"
  | "history"
  | "maxRepairs"
  | "schema"
  | "toolChoice";

/** The options whose scope is `session`, compared with the table in the same way. */
export type SessionOption = "recover" | "renewWithinMs";

/** The options that are `general`, compared with the table in the same way. */
export type GeneralOption =
  | "abortController"
  | "additionalDirectories"
  | "agents"
  | "allowedTools"
  | "apiKey"
  | "bare"
  | "betas"
  | "cliFrom"
  | "cliPath"
  | "closeGraceMs"
  | "configDir"
  | "cwd"
  | "debug"
  | "debugFile"
  | "disallowedTools"
  | "effort"
  | "env"
  | "executable"
  | "executableArgs"
  | "extraArgs"
  | "fallbackModel"
  | "hooks"
  | "inheritEnv"
  | "logger"
  | "maxBudgetUsd"
  | "maxLineBytes"
  | "maxTurns"
  | "model"
  | "modelAliases"
  | "nested"
  | "oauthToken"
  | "onOldCli"
  | "pathToClaudeCodeExecutable"
  | "plugins"
  | "pool"
  | "priority"
  | "requireMcp"
  | "retry"
  | "rules"
  | "sandbox"
  | "settingSources"
  | "settings"
  | "signal"
  | "skills"
  | "spawnClaudeCodeProcess"
  | "stderr"
  | "strictMcpConfig"
  | "strictSettingsMerge"
  | "tenant"
  | "thinking"
  | "timeouts"
  | "tools"
  | "trustProject"
  | "user";
