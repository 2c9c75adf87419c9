import { HawserError } from "../errors/index.js";

export const USAGE = `hawser: drives the Claude Code CLI

  hawser doctor --orphans                 what programs that were killed have left behind
  hawser doctor --orphans --end           ends and removes it
  hawser doctor --orphans --host=1234     only what the program with that process id has left
  hawser doctor --orphans --json          for a program to read

Exit code: 0 when nothing is left, 1 when something is, 64 when it was not understood.
`;

export function usageError(message: string): HawserError {
  return new HawserError("invalid_options", message, { hint: "See `hawser --help`." });
}
