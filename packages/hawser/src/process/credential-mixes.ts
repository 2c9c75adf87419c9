import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { CREDENTIAL_VARIABLES } from "../options/index.js";
import { hostsIn, MARKER_VARIABLE } from "./end/host-identity.js";
import { processTable } from "./end/process-table.js";
import { runAtOnce } from "./end/steps.js";

/** A program whose CLIs hold different credentials under one user. */
export interface CredentialMix {
  readonly hostPid: number;
  /** How many different credentials there are. */
  readonly credentials: number;
}

/**
 * Looks at the running processes that carry a marker of this library. A process may read the
 * environment of every other process of its user, so a command of one tenant can read the keys of
 * all others. Only hashes are compared; no value is kept.
 */
export function credentialMixes(): CredentialMix[] {
  const table = processTable();
  const held = new Map<number, string[]>();
  for (const name of CREDENTIAL_VARIABLES) {
    for (const { pid, value } of runAtOnce(table.having(name))) {
      if (value !== "") held.set(pid, [...(held.get(pid) ?? []), name, hashOf(value)]);
    }
  }
  const byOwner = new Map<string, { hostPid: number; found: Set<string> }>();
  for (const { pid, value } of runAtOnce(table.having(MARKER_VARIABLE))) {
    // The innermost host of a marker has started the process.
    const host = hostsIn(value).at(-1);
    const credential = held.get(pid)?.join(" ");
    if (host === undefined || credential === undefined) continue;
    const owner = `${host.id} ${userOf(pid)}`;
    const known = byOwner.get(owner) ?? { hostPid: host.pid, found: new Set() };
    byOwner.set(owner, known);
    known.found.add(credential);
  }
  return [...byOwner.values()]
    .filter(({ found }) => found.size > 1)
    .map(({ hostPid, found }) => ({ hostPid, credentials: found.size }));
}

function hashOf(value: string): string {
  return hash("sha256", value, "base64url");
}

/**
 * Undefined except on Linux, because elsewhere only processes of this user show their environment.
 */
function userOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}
