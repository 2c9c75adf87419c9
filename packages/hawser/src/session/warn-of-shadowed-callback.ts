import { warnOnce } from "../base/index.js";
import { type Options, shadowedChanges } from "../options/index.js";

/** Warns if `canUseTool` is not asked about some tools that run commands or change files. */
export function warnOfShadowedCallback(options: Options): void {
  if (isMuted) return;
  const text = shadowedChanges(options);
  if (text !== undefined) warnOnce(text, "HAWSER_CAN_USE_TOOL_SHADOWED", options.logger);
}

/**
 * Turns the warning off in this process. The command calls it, because its callback asks a person, and
 * `--allow Bash` says that this person does not want to be asked about Bash.
 */
export function muteShadowedCallback(): void {
  isMuted = true;
}

let isMuted = false;
