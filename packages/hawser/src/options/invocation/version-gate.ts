import { createMask, type ErrorCode, type ErrorFacts, HawserError } from "../../base/index.js";
import { compareVersions, parseVersion } from "../cli-version.js";
import type { Draft } from "./draft.js";
import type { CliFacts, HostFacts } from "./invocation.js";

/** Whether the CLI is at least this version. A CLI of unknown version counts as new. */
export function isSinceOrUnknown(cli: CliFacts, since: string): boolean {
  const needed = parseVersion(since);
  if (cli.version === undefined || needed === undefined) return true;
  return compareVersions(cli.version, needed) >= 0;
}

/** The parts of a draft that decide whether the CLI is too old for a feature. */
export type Gate = Pick<Draft, "cli" | "host" | "options" | "warnings">;

/** Whether a feature may be sent. If the CLI is too old for it, `onOldCli` says what happens. */
export function mayUse(
  { cli, host, options, warnings }: Gate,
  feature: string,
  since: string,
  otherwise = "it is left out",
  hint?: string,
): boolean {
  if (isSinceOrUnknown(cli, since)) return true;
  const found = cli.version?.join(".") ?? "unknown";
  const message = `${feature} needs Claude Code ${since} or newer; this one is ${found}`;
  if (options.onOldCli === "error") {
    throw refusal(host, "unsupported_by_cli", `${message}.`, {
      cliPath: cli.path,
      cliVersion: found,
      issues: [{ path: feature, message: `needs ${since}` }],
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (options.onOldCli === "warn") warnings.push(`${message}: ${otherwise}.`);
  return false;
}

/** An error whose text is masked by the given environment instead of that of this program. */
export function refusal(
  host: Pick<HostFacts, "env">,
  code: ErrorCode,
  message?: string,
  facts?: ErrorFacts,
): HawserError {
  return new HawserError(code, message, facts, createMask(host.env));
}
