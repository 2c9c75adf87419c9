import { warnOnce } from "../errors/index.js";
import { type Options, shadowedChanges } from "../options/index.js";

/** Warns if `canUseTool` is not asked about some tools that run commands or change files. */
export function warnOfShadowedCallback(options: Options): void {
  const text = shadowedChanges(options);
  if (text !== undefined) warnOnce(text, "HAWSER_CAN_USE_TOOL_SHADOWED", options.logger);
}
