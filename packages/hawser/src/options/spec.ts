import type { Kind } from "../base/index.js";
import type { Draft } from "./draft.js";
import type { OptionName } from "./options.js";

/** Where an option goes: to the CLI by one of five ways, or nowhere because it is ours to obey. */
export type Way = "argv" | "env" | "file" | "initialize" | "prompt" | "host";

/** One row of the table. */
export interface OptionSpec<Value = never> {
  readonly kind: Kind;
  readonly ways: readonly Way[];
  /** The CLI's flags that belong to this option; `extraArgs` may not repeat them. */
  readonly flags: readonly Flag[];
  /** First version of the CLI that has it; absent if the CLI need not know. */
  readonly since?: string;
  /** Whether a value that is given asks anything of the CLI. */
  readonly inUse: (value: Value) => boolean;
  /** Puts the value on its way; absent if another row or layer does. */
  readonly apply?: (draft: Draft, value: Value, name: OptionName) => void;
}

export type Flag = `--${string}`;
