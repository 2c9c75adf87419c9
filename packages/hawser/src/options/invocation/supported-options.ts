import type { OptionName, Options } from "../options.js";
import { rowOf } from "../table/option-facts.js";
import { OPTION_NAMES, OPTION_TABLE } from "../table/option-table.js";
import type { Resolved } from "./default-options.js";
import type { CliFacts, HostFacts } from "./invocation.js";
import { type Gate, isSinceOrUnknown, mayUse, refusal } from "./version-gate.js";

/** Removes the options that this CLI is too old for, if `onOldCli` allows it. */
export function keepSupported(gate: Gate): Resolved {
  const { cli, options, warnings } = gate;
  if (cli.version === undefined) {
    warnings.push("The version of the CLI is unknown, so it may not support every option in use.");
    return options;
  }
  requireEssentials(options, cli, gate.host);
  mayUse(gate, "hawser", OLDEST, "it may not work", UPDATE);
  const dropped = OPTION_NAMES.filter((name) => {
    const { since } = OPTION_TABLE[name];
    return since !== undefined && isInUse(options, name) && !mayUse(gate, name, since);
  });
  if (dropped.length === 0) return options;
  const kept = Object.entries(options).filter(([name]) => !dropped.includes(name as OptionName));
  return Object.fromEntries(kept) as unknown as Resolved;
}

/** Throws like `requireEssential()` for every option in use. */
export function requireEssentials(options: Options, cli: CliFacts, host: HostFacts): void {
  for (const name of OPTION_NAMES) if (isInUse(options, name)) requireEssential(name, cli, host);
}

/**
 * Throws `unsupported_by_cli` for an option that is never left out, if the CLI is too old for it or its
 * version is not known.
 */
export function requireEssential(
  name: OptionName,
  cli: CliFacts,
  host: Pick<HostFacts, "env"> = { env: {} },
): void {
  const { since, isEssential } = rowOf(name);
  if (since === undefined || isEssential !== true) return;
  if (cli.version !== undefined && isSinceOrUnknown(cli, since)) return;
  const found = cli.version?.join(".");
  const message = `${name} needs Claude Code ${since} or newer; this one is ${found ?? "of unknown version"}.`;
  throw refusal(host, "unsupported_by_cli", message, {
    cliPath: cli.path,
    ...(found === undefined ? {} : { cliVersion: found }),
    issues: [{ path: name, message: `needs ${since}` }],
    hint: `Update the CLI, or leave \`${name}\` out.`,
  });
}

const OLDEST = "2.0.0";
const UPDATE =
  "Update the CLI with `claude update`, or with `npm install -g @anthropic-ai/claude-code`.";

export function isInUse(options: Options, name: OptionName): boolean {
  const value = options[name];
  return value !== undefined && rowOf(name).inUse(value);
}
