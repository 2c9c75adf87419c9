import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { hostId } from "../end/host-identity.js";
import { temporaryRoot } from "../host-folders.js";

/**
 * A new path for temporary files. Its name holds the name of this host, so that the watchdog and
 * `findOrphans()` know the owner. Only this file knows the format of such a name.
 */
export function temporaryPath(): string {
  const root = temporaryRoot();
  roots.add(root);
  // Short, because sockets are below it, and the path of a socket may have 103 letters on macOS, of which the
  // folder for temporary files takes 49.
  return join(root, `${temporaryPrefix(hostId())}${randomBytes(4).toString("hex")}`);
}

/** The folders in which `temporaryPath()` has given out paths. */
export function temporaryRoots(): ReadonlySet<string> {
  return roots;
}

const roots = new Set<string>();

/** The beginning of the names of all temporary folders of one host, and of no other host. */
export function temporaryPrefix(host: string): string {
  return `hawser-${host}-`;
}

/** The name of the host that made the folder of this name; undefined for every other name. */
export function hostOfTemporaryName(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

const NAME = new RegExp(`^${temporaryPrefix("([0-9a-f.]+)")}[0-9a-f]+$`);
