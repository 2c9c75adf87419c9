import type { Readable } from "node:stream";

/**
 * Makes the pipe of a child emit each chunk as soon as it arrives, while nothing waits in front of it.
 * A `Readable` does the same, but it then looks for more data in another tick, which for a single line
 * takes longer than everything else that is done with the line. While the stream is paused, or has
 * buffered data, or has no listener, the chunk takes its usual way.
 *
 * It is done by `push()`, through which a source hands over its data, and whose result tells the source to
 * go on. Only the sockets of Node are known to go on by that alone, so every other stream stays as it is.
 */
export function emitDirectly(stream: Readable): void {
  if ("bun" in process.versions || "deno" in process.versions) return;
  // Node has loaded this module for the pipe. An import would load it with the package.
  const { Socket } = process.getBuiltinModule("node:net");
  if (!(stream instanceof Socket)) return;
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    const { readableFlowing, readableLength, destroyed } = stream;
    const isIdle = readableFlowing === true && readableLength === 0 && !destroyed;
    if (!isIdle || !Buffer.isBuffer(chunk) || stream.listenerCount("data") === 0) {
      return push(chunk, encoding);
    }
    stream.emit("data", chunk);
    return true;
  };
}
