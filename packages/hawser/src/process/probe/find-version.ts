import type { Version } from "../../options/index.js";
import type { CliLocation } from "../locate/locate-cli.js";
import { installedVersion } from "./installed-version.js";
import {
  earlierAnswer,
  fileKey,
  type ProbeOptions,
  probeVersion,
  type VersionProbe,
} from "./probe-version.js";

/**
 * The version of a CLI for a call: as the installer wrote it, so that the call need not wait for an
 * answer of the executable; otherwise as the executable answers. A version that comes from the
 * installer must be compared with what the CLI reports once it runs.
 */
export async function findVersion(
  location: CliLocation,
  options: () => ProbeOptions,
): Promise<VersionProbe> {
  const key = fileKey(location.path);
  return (
    reported.get(key) ??
    earlierAnswer(key) ??
    installersVersion(key, location.path) ??
    probeVersion(location, options)
  );
}

/** Notes the version that a running CLI has reported, because its installer wrote another one. */
export function correctVersion(path: string, version: Version): VersionProbe {
  const probe = probeOf(version);
  reported.set(fileKey(path), probe);
  return probe;
}

/** Whether `correctVersion()` was called for the file that is at this path now. */
export function isCorrected(path: string): boolean {
  return reported.size > 0 && reported.has(fileKey(path));
}

/** By file. */
const reported = new Map<string, VersionProbe>();
/** By file; null for a file that has to be asked. */
const written = new Map<string, VersionProbe | null>();

function installersVersion(key: string, path: string): VersionProbe | undefined {
  let probe = written.get(key);
  if (probe === undefined) {
    const version = installedVersion(path);
    probe = version === undefined ? null : { ...probeOf(version), byInstaller: true };
    written.set(key, probe);
  }
  return probe ?? undefined;
}

/** With the text that the executable would answer, so that the source makes no difference. */
function probeOf(version: Version): VersionProbe {
  return { version, text: `${version.join(".")} (Claude Code)` };
}
