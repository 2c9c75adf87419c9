import { closeSync, existsSync, openSync, readSync } from "node:fs";

/** Why the system does not start a file that exists and is executable. */
export type Unrunnable =
  | { readonly code: "other_system"; readonly system: string }
  | { readonly code: "other_processor"; readonly processor: string }
  | {
      readonly code: "no_loader";
      readonly loader: string;
      readonly libc: "glibc" | "musl" | undefined;
    }
  | { readonly code: "no_interpreter"; readonly interpreter: string };

/**
 * Inspects a file that did not start. The system reports ENOENT if the loader or interpreter of the
 * file is missing, as if the file itself were missing, and hands a file for another processor to a
 * shell. Undefined if no reason is visible. It cannot predict a start, because an emulator may
 * start such files.
 */
export function whyUnrunnable(path: string): Unrunnable | undefined {
  return inspect(path, look);
}

/**
 * Whether the file is a program in the format of this system and for this processor. No script is
 * one, whatever its interpreter.
 */
export function isNativeProgram(path: string): boolean {
  const isNative = (read: Read) => {
    const magic = read(0, 4).toString("hex");
    return OWN_FORMATS.some((own) => magic.startsWith(own)) && look(read) === undefined;
  };
  return inspect(path, isNative) === true;
}

/** Undefined for a file that cannot be read, although it may be executable. */
function inspect<T>(path: string, judge: (read: Read) => T): T | undefined {
  try {
    const file = openSync(path, "r");
    try {
      return judge((at, length) => bytesOf(file, at, length));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

type Read = (at: number, length: number) => Buffer;

function bytesOf(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}

const HEAD = 64;
const LONGEST_PATH = 4096;

function look(read: Read): Unrunnable | undefined {
  const head = read(0, HEAD);
  if (head.toString("latin1", 0, 2) === "#!") return ofScript(read(2, LONGEST_PATH));
  if (head.toString("hex", 0, 4) === ELF) return ofElf(head, read);
  const system = SYSTEMS.find(([, magic]) => head.toString("hex", 0, 4).startsWith(magic))?.[0];
  if (system === undefined || process.platform === PLATFORMS[system]) return undefined;
  return { code: "other_system", system };
}

const SYSTEMS = [
  ["macOS", "cffaedfe"],
  ["macOS", "cafebabe"],
  ["Windows", "4d5a"],
] as const;
const PLATFORMS = { macOS: "darwin", Windows: "win32" };

const ELF = "7f454c46";

/** How programs of this system begin. */
const OWN_FORMATS: readonly string[] =
  process.platform === "linux"
    ? [ELF]
    : SYSTEMS.filter(([system]) => PLATFORMS[system] === process.platform).map(
        ([, magic]) => magic,
      );

function ofScript(rest: Buffer): Unrunnable | undefined {
  const interpreter = rest.toString("utf8").split("\n", 1)[0]?.trim().split(/\s/, 1)[0] ?? "";
  if (interpreter === "" || existsSync(interpreter)) return undefined;
  return { code: "no_interpreter", interpreter };
}

function ofElf(head: Buffer, read: Read): Unrunnable | undefined {
  if (process.platform !== "linux") return { code: "other_system", system: "Linux" };
  // The CLI is built for 64 bits, low byte first.
  if (head[4] !== 2 || head[5] !== 1 || head.length < HEAD) return undefined;
  const processor = PROCESSORS[head.readUInt16LE(18)];
  if (processor !== undefined && processor !== process.arch) {
    return { code: "other_processor", processor };
  }
  const loader = loaderOf(head, read);
  if (loader === undefined || existsSync(loader)) return undefined;
  return { code: "no_loader", loader, libc: libcOf(loader) };
}

/** The processors by their number in the format. */
const PROCESSORS: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64", 243: "riscv64" };

const INTERP = 3;

function loaderOf(head: Buffer, read: Read): string | undefined {
  const at = Number(head.readBigUInt64LE(32));
  const size = head.readUInt16LE(54);
  const count = head.readUInt16LE(56);
  const table = read(at, size * count);
  for (let entry = 0; entry + size <= table.length; entry += size) {
    if (table.readUInt32LE(entry) !== INTERP) continue;
    const from = Number(table.readBigUInt64LE(entry + 8));
    const length = Number(table.readBigUInt64LE(entry + 32));
    return read(from, Math.min(length, LONGEST_PATH)).toString("utf8").split("\0", 1)[0];
  }
  return undefined;
}

function libcOf(loader: string): "glibc" | "musl" | undefined {
  if (loader.includes("ld-musl")) return "musl";
  return loader.includes("ld-linux") ? "glibc" : undefined;
}
