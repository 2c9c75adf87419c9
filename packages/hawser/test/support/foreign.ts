import { readFileSync } from "node:fs";

/** /bin/true, if it is a program for glibc as most are. */
const TRUE = process.platform === "linux" ? readFileSync("/bin/true") : Buffer.alloc(0);
const LOADER = /\/lib[\w/.-]*ld-linux[\w.-]*/.exec(TRUE.toString("latin1"))?.[0] ?? "";

/** Whether programs can be made here that this machine cannot start. */
export const CAN_BE_FOREIGN: boolean = LOADER !== "";

/** A program for a C library that is not on this machine. */
export function forOtherLibc(): Buffer {
  const musl = "/lib/ld-musl-none.so.1".padEnd(LOADER.length, "\0");
  return Buffer.from(TRUE.toString("latin1").replace(LOADER, musl), "latin1");
}

/** A program for a processor that is not this machine's, and the name of that processor. */
export function forOtherProcessor(): { readonly bytes: Buffer; readonly processor: string } {
  const bytes = Buffer.from(TRUE);
  const processor = process.arch === "arm64" ? "x64" : "arm64";
  bytes.writeUInt16LE(processor === "x64" ? 62 : 183, 18);
  return { bytes, processor };
}
