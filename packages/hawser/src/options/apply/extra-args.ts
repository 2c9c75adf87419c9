import { addFlag, addPair, type Draft } from "../invocation/draft.js";
import type { Flag } from "../table/option-row.js";

/** The fixed part of the command line, as the official SDK sends it. */
export const FIXED: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

/** Flags that are fixed, or that are another name of an option here. */
export const RESERVED: readonly Flag[] = [
  "--output-format",
  "--verbose",
  "--input-format",
  "--print",
  "--p",
  "--agents",
  "--allowed-tools",
  "--disallowed-tools",
  "--append-system-prompt",
  "--append-system-prompt-file",
  "--dangerously-skip-permissions",
  "--json-schema",
  "--system-prompt",
  "--system-prompt-file",
  "--system-prompt-snapshot",
  "--exclude-dynamic-system-prompt-sections",
  "--forward-subagent-text",
  "--help",
  "--version",
];

export function applyExtraArgs(draft: Draft): void {
  for (const [name, value] of Object.entries(draft.options.extraArgs ?? {})) {
    if (value === null) addFlag(draft, "extraArgs", `--${name}`);
    else if (value !== undefined) addPair(draft, "extraArgs", `--${name}`, value);
  }
}
