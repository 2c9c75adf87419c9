import { compareVersions, parseVersion } from "../cli-version.js";
import type { CliFacts, HostFacts } from "./invocation.js";
import { refusal } from "./version-gate.js";

type KeptName = "clear" | "plan_with_bypass" | "auto_mode" | "checked_settings";

interface Kept {
  /** What needs the version, as the subject of a sentence. */
  readonly what: string;
  /** The first version that keeps it. */
  readonly since: string;
  /** What an older CLI does instead, without any message. */
  readonly before: string;
  /** What the caller can do other than update the CLI. */
  readonly instead: string;
  /** Whether it is also refused if the version of the CLI is unknown. */
  readonly needsKnownVersion: boolean;
}

/**
 * What an older CLI accepts and does not keep. Unlike an option that an older CLI lacks, `onOldCli` does not
 * allow it, because a guard would be open without any message. The versions were found by running published
 * packages: `npm run versions` tries each of them on the versions of docs/versions.md.
 */
export const KEPT_SINCE: Readonly<Record<KeptName, Kept>> = {
  clear: {
    what: "The command /clear",
    since: "2.1.129",
    before: "confirms it and keeps the conversation",
    instead: "open a new session",
    needsKnownVersion: false,
  },
  plan_with_bypass: {
    what: 'The mode "plan" with allowDangerouslySkipPermissions',
    since: "2.1.269",
    before: "then refuses nothing in this mode",
    instead: "leave `allowDangerouslySkipPermissions` out",
    needsKnownVersion: true,
  },
  auto_mode: {
    what: 'The mode "auto"',
    since: "2.1.71",
    before: "accepts the word and goes on in another mode",
    instead: "use another mode",
    needsKnownVersion: false,
  },
  checked_settings: {
    what: "A deny rule, a sandbox or a mode that is sent in the settings",
    since: "2.1.69",
    before: "does not say whether it accepted them",
    instead: "use `rules`, hooks, or a few rules in `disallowedTools`",
    needsKnownVersion: false,
  },
};

/** Throws `unsupported_by_cli` if this CLI would accept it and not keep it. */
export function requireKept(
  name: KeptName,
  cli: CliFacts,
  host: Pick<HostFacts, "env"> = { env: {} },
): void {
  const { what, since, before, instead, needsKnownVersion } = KEPT_SINCE[name];
  if (isKept(cli, since, needsKnownVersion)) return;
  const found = cli.version?.join(".");
  const message = `${what} needs Claude Code ${since} or newer, because an older one ${before}; this one is ${found ?? "of unknown version"}.`;
  throw refusal(host, "unsupported_by_cli", message, {
    cliPath: cli.path,
    ...(found === undefined ? {} : { cliVersion: found }),
    hint: `Update the CLI with \`claude update\`, or ${instead}.`,
  });
}

function isKept({ version }: CliFacts, since: string, needsKnownVersion: boolean): boolean {
  if (version === undefined) return !needsKnownVersion;
  const needed = parseVersion(since);
  return needed !== undefined && compareVersions(version, needed) >= 0;
}
