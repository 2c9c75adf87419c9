import { randomBytes, type UUID } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/** A random UUID, like that of `crypto.randomUUID()`. */
export function newUuid(): UUID {
  const bytes = takeBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Random bytes as hexadecimal digits. */
export function randomHex(bytes: number): string {
  return takeBytes(bytes).toString("hex");
}

let supply: Buffer = Buffer.alloc(0);

function takeBytes(count: number): Buffer {
  if (supply.length < count) supply = newSupply(Math.max(count, SUPPLY_BYTES));
  const taken = supply.subarray(0, count);
  supply = supply.subarray(count);
  return taken;
}

/**
 * From the kernel itself, because `node:crypto` takes 2 ms to load. A new program would wait for it before it
 * starts its first CLI.
 */
function newSupply(size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  return isFilledByKernel(bytes) ? bytes : randomBytes(size);
}

const SUPPLY_BYTES = 1024;

function isFilledByKernel(bytes: Buffer): boolean {
  // There, the path would be a plain folder of the current drive, in which another user may put a file.
  if (process.platform === "win32") return false;
  let file: number;
  try {
    file = openSync("/dev/urandom", "r");
  } catch {
    // For example, the program has used up its descriptors.
    return false;
  }
  try {
    return readSync(file, bytes) === bytes.length;
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}
