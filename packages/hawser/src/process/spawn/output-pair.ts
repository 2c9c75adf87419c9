import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { atHostExit } from "../end/at-host-exit.js";
import { removeOwnFolderSync } from "../temporary/remove-folder.js";
import { temporaryPath } from "../temporary/temporary-path.js";
import type { ChildOutput } from "./child.js";

/** Two connected sockets for the output of a child. */
export interface OutputPair {
  /** Gives the output to `takeBytes` out of the one buffer, or emits copies of it as `data`. */
  readonly reader: Socket & ChildOutput;
  /** For the `stdio` of the child. Destroy it when the child has started. */
  readonly writer: Socket;
}

/**
 * Makes a pair of sockets whose reader reads into one buffer. Node offers `onread` only for a socket that the
 * program connects itself, so the pair is made through a server in a private folder, both of which are gone
 * when this resolves. Observed: an event that comes alone costs the host about 60 µs through the pipe that
 * `spawn()` makes, and about 30 µs through such a pair. A pipe of `spawn()` is a pair of such sockets too.
 *
 * Undefined if there can be no such pair here; then the child gets a pipe of `spawn()`.
 */
export async function openOutputPair(): Promise<OutputPair | undefined> {
  const folder = temporaryPath();
  const path = join(folder, "o");
  if (!CAN_SHARE_SOCKETS || Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  const release = atHostExit(() => removeOwnFolderSync(folder));
  const server = createServer({ pauseOnConnect: true });
  // `pairThrough()` hears of errors. Without a listener, a later one would end the program.
  server.on("error", () => {});
  try {
    // Only programs of this user can reach the server.
    mkdirSync(folder, { mode: 0o700 });
    return await pairThrough(server, path);
  } catch {
    // For example, the folder cannot be written, or all descriptors are in use.
    return undefined;
  } finally {
    server.close();
    if (isRemoved(folder)) release();
  }
}

/** A folder that cannot be removed now is removed when the host exits, if that is possible. */
function isRemoved(folder: string): boolean {
  try {
    // It is empty, because a server removes its socket when it is closed.
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

const CAN_SHARE_SOCKETS =
  process.platform !== "win32" && !("bun" in process.versions) && !("deno" in process.versions);

/** The shortest limit of all systems, in bytes. Node would cut a longer path off, and leave the private folder. */
const LONGEST_PATH = 103;

function pairThrough(server: Server, path: string): Promise<OutputPair> {
  return new Promise((resolve, reject) => {
    // Otherwise, in a worker of `node:cluster`, the primary would listen.
    server.listen({ path, exclusive: true });
    const reader = connectTo(path);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reader.destroy();
      server.once("connection", (late: Socket) => late.destroy());
      reject(error);
    };
    // Only for a program that has replaced the functions of `node:net`.
    const timer = setTimeout(() => fail(new Error("There was no connection.")), LONGEST_WAIT_MS);
    const ended = () => fail(new Error("The connection was not accepted."));
    server.once("error", fail);
    reader.once("end", () => reader.destroy());
    reader.once("error", fail);
    // Without a free descriptor the server cannot accept, and only the reader is told, by its end.
    reader.once("close", ended);
    server.once("connection", (writer: Socket) => {
      clearTimeout(timer);
      reader.off("error", fail).off("close", ended);
      resolve({ reader, writer });
    });
  });
}

function connectTo(path: string): Socket & ChildOutput {
  const reader: Socket & ChildOutput = connect({
    path,
    // Nothing is ever written, so there is nothing to end when the output has ended.
    allowHalfOpen: true,
    onread: { buffer: SHARED_BUFFER, callback: (length) => give(reader, length) },
  });
  return reader;
}

const LONGEST_WAIT_MS = 2000;

/** One buffer for all processes, because `takeBytes` has read a chunk when it returns. */
const SHARED_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Says whether to go on reading. Listeners of the stream get a copy, because they may keep it, and a stream that is
 * not read keeps the copy until it is.
 */
function give(reader: Socket & ChildOutput, length: number): boolean {
  const isFlowing = reader.readableFlowing === true && reader.readableLength === 0;
  if (isFlowing && reader.takeBytes !== undefined) {
    reader.takeBytes(SHARED_BUFFER, length);
    return true;
  }
  return reader.push(Buffer.from(SHARED_BUFFER.subarray(0, length)));
}
