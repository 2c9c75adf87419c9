import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { HawserError } from "../../base/index.js";
import { processTable } from "./process-table.js";

/** The variable by which everything that this library has started can be found again. */
export const MARKER_VARIABLE = "HAWSER_MARK";

/**
 * Names this copy of the library in this program. A second copy, or one in a worker thread, has a name
 * of its own: what it has started may outlive the first.
 */
export function hostId(): string {
  name ??= [
    pidNamespaceId(),
    process.pid,
    processTable().self(),
    randomBytes(4).toString("hex"),
  ].join(".");
  return name;
}

let name: string | undefined;

/** A mark for one more process. It begins with the host's name, so that each finds its own. */
export function newMarker(): string {
  return `${hostId()}/${randomUUID()}`;
}

/** The environment with a mark in it. Inside another of our trees, both owners must find the process. */
export function withMarker(env: NodeJS.ProcessEnv, mark: string): Record<string, string> {
  const outer = env[MARKER_VARIABLE];
  return {
    ...(env as Record<string, string>),
    [MARKER_VARIABLE]: outer ? `${outer}:${mark}` : mark,
  };
}

/** The process ids of the hosts in a mark that have died, the outermost first: all, or only `asked`. */
export function deadHosts(mark: string, asked?: number): number[] {
  return hostsIn(mark).flatMap(({ id: name }) => deadHost(name, asked) ?? []);
}

/** A host by its name, and what the name says. */
interface Host {
  readonly id: string;
  readonly pidNamespace: string;
  readonly pid: number;
  /** When the process started, in the unit of the process table. */
  readonly started: string;
}

/** The hosts in a mark, the outermost first. */
export function hostsIn(mark: string): Host[] {
  const names = mark.split(":").map((each) => each.replace(/\/.*$/s, ""));
  return names.flatMap((name) => parseHostId(name) ?? []);
}

/** Undefined if the text is not what hostName() makes. */
function parseHostId(text: string): Host | undefined {
  const [name, there, pid, started] = NAME.exec(text) ?? [];
  if (name === undefined || there === undefined || started === undefined) return undefined;
  return { id: name, pidNamespace: there, pid: Number(pid), started };
}

/** The process id of a host, if it has died, and if it is the one that is asked for. */
export function deadHost(host: string, asked?: number): number | undefined {
  const known = parseHostId(host);
  // On another machine or in another container the same number means another process.
  if (known === undefined || known.pidNamespace !== pidNamespaceId()) return undefined;
  const { pid, started } = known;
  if (asked !== undefined && asked !== pid) return undefined;
  return processTable().isGone(pid, started) ? pid : undefined;
}

const NAME = /^([0-9a-f]{8})\.(\d+)\.(\d+)\.[0-9a-f]{8}$/;

/** Where a process number, and a start time, mean what they do here. */
function pidNamespaceId(): string {
  if (known === undefined) {
    const names = ["pid", "time"].map((each) => linkOf(`/proc/self/ns/${each}`));
    const facts = [bootOf() ?? hostname(), ...names].join("\n");
    known = createHash("sha256").update(facts).digest("hex").slice(0, 8);
  }
  return known;
}

let known: string | undefined;

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    refuseIfScarce(error);
    // Only Linux has them, and not every one.
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

/** The name is kept for the whole program, so it must not be made while nothing can be read. */
function refuseIfScarce(error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "EMFILE" && code !== "ENFILE") return;
  const text = `The CLI process could not be started: ${message}`;
  throw new HawserError("spawn_failed", text, { cause: error });
}
