import { hash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { HawserError } from "../../base/index.js";
import { type MarkSearch, processTable } from "./process-table.js";

/**
 * The environment variable by which every process that this library has started can be found again.
 */
export const MARKER_VARIABLE = "HAWSER_MARK";

/**
 * Identifies this copy of the library in this program. A second copy, such as in a worker thread,
 * has an id of its own, because the processes that it has started may outlive the first copy.
 */
export function hostId(): string {
  ownId ??= [
    pidNamespaceId(),
    process.pid,
    processTable().self(),
    randomBytes(4).toString("hex"),
  ].join(".");
  return ownId;
}

let ownId: string | undefined;

/**
 * A marker for one more process. It begins with the id of the host, so that each host finds its
 * own.
 */
export function newMarker(): string {
  hostMarks();
  return `${hostId()}/${randomUUID()}`;
}

/** Finds the processes that hold a marker of this host. */
export function hostMarks(): MarkSearch {
  ownMarks ??= processTable().markSearch(`${hostId()}/`);
  return ownMarks;
}

let ownMarks: MarkSearch | undefined;

/**
 * The environment with a marker in it. A marker that is there already stays, because in a tree
 * inside another tree of hawser both hosts must find the process.
 */
export function withMarker(env: NodeJS.ProcessEnv, marker: string): Record<string, string> {
  const outer = env[MARKER_VARIABLE];
  return {
    ...(env as Record<string, string>),
    [MARKER_VARIABLE]: outer ? `${outer}:${marker}` : marker,
  };
}

/**
 * The process ids of the dead hosts in a marker, the outermost first. With `asked`, only that one.
 */
export function deadHosts(marker: string, asked?: number): number[] {
  return hostsIn(marker).flatMap(({ id }) => deadHost(id, asked) ?? []);
}

/** The id of a host, and the facts in it. */
interface Host {
  readonly id: string;
  readonly pidNamespace: string;
  readonly pid: number;
  /** When the process started, in the unit of the process table. */
  readonly started: string;
}

/** The hosts in a marker, the outermost first. */
export function hostsIn(marker: string): Host[] {
  const ids = marker.split(":").map((each) => each.replace(/\/.*$/s, ""));
  return ids.flatMap((id) => parseHostId(id) ?? []);
}

/** Undefined if the text does not come from `hostId()`. */
function parseHostId(text: string): Host | undefined {
  const [id, pidNamespace, pid, started] = HOST_ID.exec(text) ?? [];
  if (id === undefined || pidNamespace === undefined || started === undefined) return undefined;
  return { id, pidNamespace, pid: Number(pid), started };
}

/**
 * The process id of a host, if the host has died. With `asked`, undefined for every other process
 * id.
 */
export function deadHost(host: string, asked?: number): number | undefined {
  const known = parseHostId(host);
  // On another machine or in another container the same number means another process.
  if (known === undefined || known.pidNamespace !== pidNamespaceId()) return undefined;
  const { pid, started } = known;
  if (asked !== undefined && asked !== pid) return undefined;
  return processTable().isGone(pid, started) ? pid : undefined;
}

const HOST_ID = /^([0-9a-f]{8})\.(\d+)\.(\d+)\.[0-9a-f]{8}$/;

/**
 * Identifies the PID namespace and the boot: pids and start times can be compared only within them.
 */
function pidNamespaceId(): string {
  if (ownNamespace === undefined) {
    const names = ["pid", "time"].map((each) => linkOf(`/proc/self/ns/${each}`));
    const facts = [bootOf() ?? hostname(), ...names].join("\n");
    ownNamespace = hash("sha256", facts, "hex").slice(0, 8);
  }
  return ownNamespace;
}

let ownNamespace: string | undefined;

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    refuseIfScarce(error);
    // Only Linux has namespaces, and not every Linux has these.
    return "";
  }
}

function bootOf(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
  } catch (error) {
    refuseIfScarce(error);
    return undefined;
  }
}

/** The id is kept for the whole program, so it must not be made while no file can be opened. */
function refuseIfScarce(error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "EMFILE" && code !== "ENFILE") return;
  const text = `The CLI process could not be started: ${message}`;
  throw new HawserError("spawn_failed", text, { cause: error });
}
