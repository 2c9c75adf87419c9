import { closeSync, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { devNull } from "node:os";

/**
 * A standard stream to write to. Unlike `process.stdout` it can be closed, which the other side must
 * see when the CLI has closed its own.
 */
export function outlet(fd) {
  const stat = fstatSync(fd);
  const piped = stat.isFIFO() || stat.isSocket();
  if (!piped) return fd === 1 ? process.stdout : process.stderr;
  const stream = new Socket({ fd, readable: false, writable: true });
  stream.once("close", () => {
    // Node leaves a standard stream open. Its number is taken again, so that no other file gets it.
    closeSync(fd);
    openSync(devNull, "w");
  });
  return stream;
}

/**
 * Resolves when the other side has taken the bytes, or has gone.
 * @returns {Promise<void> | undefined}
 */
export function write(stream, data) {
  if (stream.destroyed || stream.writableFinished) return undefined;
  if (stream.writableEnded) return new Promise((resolve) => stream.once("close", resolve));
  return new Promise((resolve) => {
    stream.once("close", resolve);
    stream.write(data, () => {
      stream.off("close", resolve);
      resolve();
    });
  });
}
