import { HawserError } from "../../base/index.js";
import {
  compareVersions,
  type Invocation,
  type Options,
  parseVersion,
} from "../../options/index.js";
import { correctVersion, isCorrected } from "../probe/find-version.js";
import { factsOf, type Prepared } from "./prepare.js";

/**
 * Compares the version that the installer wrote with the version that the running CLI reports. If
 * they are equal, or there is nothing to compare, it returns `prepared` itself. If they differ, the
 * reported version counts from now on, for this process and for every later call: it returns a
 * corrected copy.
 *
 * Throws `unsupported_by_cli` if the CLI would have been started in another way, had its version
 * been known. The options may then have no effect, or a weaker effect, without any message.
 */
export function verifyVersion(prepared: Prepared, options: Options, reported: unknown): Prepared {
  const { version: written, location, log } = prepared;
  if (!prepared.isVersionUnconfirmed || written === undefined) return prepared;
  const version = typeof reported === "string" ? parseVersion(reported) : undefined;
  if (version === undefined || compareVersions(version, written) === 0) return prepared;
  const { text } = correctVersion(location.path, version);
  const facts = factsOf(location, version);
  const names = { cli: location.path, installed: written.join("."), reported: version.join(".") };
  log.warn("the CLI reports another version than its installation", names);
  const [asReported, asWritten] = [version, written].map((each) =>
    essence(prepared.invocationFor(each, options)),
  );
  if (asReported !== asWritten) {
    const message = `The CLI at ${names.cli} was started as version ${names.installed}, which its installation names, but it is ${names.reported}. These options need another start for that version.`;
    const hint = "Call again: the next call starts the CLI as the version that it reported.";
    throw new HawserError("unsupported_by_cli", message, { ...facts, hint, retryable: true });
  }
  return { ...prepared, version, versionText: text, isVersionUnconfirmed: false, facts };
}

/**
 * Whether the version may still be used. False once a CLI from the same file has reported another
 * version: then the options have to be prepared again.
 */
export function hasCurrentVersion({ location, isVersionUnconfirmed }: Prepared): boolean {
  return !isVersionUnconfirmed || !isCorrected(location.path);
}

/** What the CLI gets. */
function essence({ warnings: _, ...invocation }: Invocation): string {
  return JSON.stringify(invocation);
}
