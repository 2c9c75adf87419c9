import { mkdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { atHostExit } from "../end/at-host-exit.js";
import { removeOwnFolderSync } from "../temporary/remove-folder.js";
import { temporaryPath } from "../temporary/temporary-path.js";

/** Two connected sockets for the output of a child. */
export interface OutputPair {
  /** Emits the output as `data`. A chunk is overwritten as soon as its listeners have returned. */
  readonly reader: Socket;
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
  const path = join(folder, "out");
  if (!CAN_SHARE_SOCKETS || Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  const release = atHostExit(() => removeOwnFolderSync(folder));
  const server = createServer({ pauseOnConnect: true });
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
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

const CAN_SHARE_SOCKETS =
  process.platform !== "win32" && !("bun" in process.versions) && !("deno" in process.versions);

/** The shortest limit of all systems, in bytes. Node would cut a longer path off, and leave the private folder. */
const LONGEST_PATH = 103;

function pairThrough(server: Server, path: string): Promise<OutputPair> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Otherwise, in a worker of `node:cluster`, the primary would listen.
    server.listen({ path, exclusive: true });
    const reader: Socket = connect({
      path,
      // Nothing is ever written, so there is nothing to end when the output has ended.
      allowHalfOpen: true,
      onread: { buffer: SHARED_BUFFER, callback: (bytes) => emit(reader, bytes) },
    });
    reader.once("end", () => reader.destroy());
    reader.once("error", reject);
    // Without a free descriptor the server cannot accept, and only the reader is told, by its end.
    reader.once("close", () => reject(new Error("The connection was not accepted.")));
    server.once("connection", (writer: Socket) => {
      reader.off("error", reject);
      resolve({ reader, writer });
    });
  });
}

/** One buffer for all processes, because a chunk has been read when the listeners return. */
const SHARED_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** Says whether to go on reading. What no listener takes now waits in the stream, as in any other. */
function emit(reader: Socket, bytes: number): boolean {
  const chunk = SHARED_BUFFER.subarray(0, bytes);
  const isFlowing = reader.readableFlowing === true && reader.readableLength === 0;
  return (isFlowing && reader.emit("data", chunk)) || reader.push(Buffer.from(chunk));
}
