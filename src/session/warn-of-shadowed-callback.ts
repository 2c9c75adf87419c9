import { warnOnce } from "../errors/index.js";
import { type Options, shadowedChanges } from "../options/index.js";

/** Warns if `canUseTool` is not asked about some tools that run commands or change files. */
export function warnOfShadowedCallback(options: Options): void {
  if (isMuted) return;
  const text = shadowedChanges(options);
  if (text !== undefined) warnOnce(text, "HAWSER_CAN_USE_TOOL_SHADOWED", options.logger);
}

/**
 * Turns the warning off in this process. For the command: its callback asks the person, and the person
 * who gave `--allow Bash` does not want to be asked about Bash.
 */
export function muteShadowedCallback(): void {
  isMuted = true;
}

let isMuted = false;
