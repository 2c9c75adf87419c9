import { HawserError } from "../../base/index.js";
import type { Options, SpawnedProcess, SpawnRequest } from "../../options/index.js";
import type { CliLocation } from "../locate/locate-cli.js";

/** The option `spawnClaudeCodeProcess`. */
export type SpawnFunction = (request: SpawnRequest) => SpawnedProcess;

/**
 * The CLI that a custom spawn function is to start, if the caller names it. It may exist only where
 * that function starts it, such as in a container, so it is neither searched nor asked for its
 * version.
 */
export function namedForCustomSpawn(options: Options): CliLocation | undefined {
  const path = options.cliPath ?? options.pathToClaudeCodeExecutable;
  if (options.spawnClaudeCodeProcess === undefined || path === undefined) return undefined;
  return { path, source: "option", script: /\.[cm]?js$/i.test(path) };
}

/**
 * The function alone decides which user runs the CLI. An ignored `user` could mean too many rights.
 */
export function refuseUser({ user, spawnClaudeCodeProcess }: Options): void {
  if (user === undefined || spawnClaudeCodeProcess === undefined) return;
  const message =
    "contradicts spawnClaudeCodeProcess, which decides itself which user runs the CLI";
  throw new HawserError("invalid_options", `user ${message}.`, {
    hint: "Leave `user` out, and set the user in your function.",
    issues: [{ path: "user", message }],
  });
}
