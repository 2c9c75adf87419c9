import { closeSync, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { devNull } from "node:os";

/**
 * A standard stream for writing. Unlike `process.stdout` it can be closed, because the host must see when
 * the CLI has closed its own.
 */
export function outlet(fd) {
  const stat = fstatSync(fd);
  const piped = stat.isFIFO() || stat.isSocket();
  if (!piped) return fd === 1 ? process.stdout : process.stderr;
  const stream = new Socket({ fd, readable: false, writable: true });
  stream.once("close", () => {
    // Node leaves a standard stream open. The descriptor is reopened, so that no other file gets its number.
    closeSync(fd);
    openSync(devNull, "w");
  });
  return stream;
}

/**
 * Resolves when the host has read the bytes, or has closed the stream.
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
