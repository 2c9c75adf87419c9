import type { ErrorFacts } from "../../base/index.js";
import { type Options, parseVersion, requireKept } from "../../options/index.js";
import type { HostRequest } from "../../wire/index.js";

/**
 * Throws `unsupported_by_cli` for a request to set a permission mode that this CLI would confirm and not keep.
 */
export function requireKeptMode(
  request: HostRequest,
  { cliPath = "", cliVersion = "" }: ErrorFacts,
  { allowDangerouslySkipPermissions }: Options,
): void {
  if (request.subtype !== "set_permission_mode") return;
  const cli = { path: cliPath, version: parseVersion(cliVersion) };
  const { mode } = request as { readonly mode?: unknown };
  if (mode === "auto") requireKept("auto_mode", cli);
  if (mode === "plan" && allowDangerouslySkipPermissions) requireKept("plan_with_bypass", cli);
}
