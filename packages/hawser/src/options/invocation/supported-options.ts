import type { OptionName } from "../options.js";
import { rowOf } from "../table/option-facts.js";
import { OPTION_NAMES, OPTION_TABLE } from "../table/option-table.js";
import type { Resolved } from "./default-options.js";
import { type Gate, mayUse } from "./version-gate.js";

/** Removes the options that this CLI is too old for, if `onOldCli` allows it. */
export function keepSupported(gate: Gate): Resolved {
  const { cli, options, warnings } = gate;
  if (cli.version === undefined) {
    warnings.push("The version of the CLI is unknown, so it may not support every option in use.");
    return options;
  }
  mayUse(gate, "hawser", OLDEST, "it may not work", UPDATE);
  const dropped = OPTION_NAMES.filter((name) => {
    const { since } = OPTION_TABLE[name];
    return since !== undefined && isInUse(options, name) && !mayUse(gate, name, since);
  });
  if (dropped.length === 0) return options;
  const kept = Object.entries(options).filter(([name]) => !dropped.includes(name as OptionName));
  return Object.fromEntries(kept) as unknown as Resolved;
}

const OLDEST = "2.0.0";
const UPDATE =
  "Update the CLI with `claude update`, or with `npm install -g @anthropic-ai/claude-code`.";

export function isInUse(options: Resolved, name: OptionName): boolean {
  const value = options[name];
  return value !== undefined && rowOf(name).inUse(value);
}
