import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { MARKER } from "./host.js";
import { processTable } from "./table.js";

/** The variables in which a CLI is given a credential. */
export const CREDENTIAL_VARIABLES: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "ANTHROPIC_FOUNDRY_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_SECRET_ACCESS_KEY",
];

/** A program whose CLIs hold different credentials under one user. */
export interface CredentialMix {
  readonly hostPid: number;
  /** How many different credentials there are. */
  readonly credentials: number;
}

/**
 * Looks at the living processes that carry the mark of this library. A process may read the environment
 * of every other process of its user, so a command of one tenant can read the keys of all others. Only
 * hashes are compared; no value is kept.
 */
export function credentialMixes(): CredentialMix[] {
  const table = processTable();
  const held = new Map<number, string[]>();
  for (const name of CREDENTIAL_VARIABLES) {
    for (const { pid, value } of table.having(name)) {
      if (value !== "") held.set(pid, [...(held.get(pid) ?? []), name, hashOf(value)]);
    }
  }
  const byOwner = new Map<string, { hostPid: number; found: Set<string> }>();
  for (const { pid, value } of table.having(MARKER)) {
    const host = HOST.exec(value)?.groups;
    const credential = held.get(pid)?.join(" ");
    if (host === undefined || credential === undefined) continue;
    const owner = `${host["name"]} ${userOf(pid)}`;
    const known = byOwner.get(owner) ?? { hostPid: Number(host["pid"]), found: new Set() };
    byOwner.set(owner, known);
    known.found.add(credential);
  }
  return [...byOwner.values()]
    .filter(({ found }) => found.size > 1)
    .map(({ hostPid, found }) => ({ hostPid, credentials: found.size }));
}

/** The innermost host of a mark: it has started the process. */
const HOST = /(?:^|:)(?<name>[0-9a-f]{8}\.(?<pid>\d+)\.\d+\.[0-9a-f]{8})\/[^/:]*$/;

function hashOf(value: string): string {
  return createHash("sha256").update(value).digest("base64url");
}

/** Elsewhere than on Linux, only processes of this user show their environment. */
function userOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}
