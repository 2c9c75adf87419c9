import { HawserError } from "../base/index.js";
import type { Options } from "../options/index.js";
import type { CliLocation } from "./locate.js";

/**
 * The CLI that an own spawn function is to start, if the caller names it. It may exist only where
 * that function starts it, such as in a container, so it is neither looked for nor asked here.
 */
export function namedElsewhere(options: Options): CliLocation | undefined {
  const path = options.cliPath ?? options.pathToClaudeCodeExecutable;
  if (options.spawnClaudeCodeProcess === undefined || path === undefined) return undefined;
  return { path, source: "option", script: /\.[cm]?js$/i.test(path) };
}

/** The function alone decides as whom the process runs; an ignored `user` would be one too powerful. */
export function refuseUser({ user, spawnClaudeCodeProcess }: Options): void {
  if (user === undefined || spawnClaudeCodeProcess === undefined) return;
  const message = "contradicts spawnClaudeCodeProcess, which decides by itself who runs the CLI";
  throw new HawserError("invalid_options", `user ${message}.`, {
    hint: "Leave `user` out, and change the user in the function.",
    issues: [{ path: "user", message }],
  });
}
