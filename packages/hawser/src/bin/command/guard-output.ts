import { constants, fstatSync, readFileSync, statSync } from "node:fs";
import { ERROR_CODES } from "../../base/index.js";

/** Exits when the output cannot be written. All processes that were started are killed on the way out. */
export function guardOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(READER_GONE);
    const why = error.message.replace(/, write$/, "");
    process.stderr.write(`hawser: Cannot write the output: ${why}.\n`);
    process.exit(ERROR_CODES.closed.exitCode);
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    // The answer on stdout is worth more than the notes beside it.
    if (error.code === "EPIPE") process.exit(READER_GONE);
  });
  if (isLost(1) && !isLost(2)) {
    process.stderr.write("hawser: stdout is closed or discarded, so the output is lost.\n");
  }
}

/** The exit code that a shell shows for a program that SIGPIPE killed. */
const READER_GONE = 141;

/**
 * Whether the output is lost without a shell redirection that asked for it. Node puts /dev/null, for
 * reading and writing, in the place of a stream that is closed; a shell's `> /dev/null` is for writing
 * only. Programs that discard the output on purpose do as Node does, so this is no error.
 */
function isLost(fd: number): boolean {
  try {
    const isNull = fstatSync(fd).rdev === statSync("/dev/null").rdev;
    const flags = /^flags:\s*([0-7]+)/m.exec(
      readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"),
    )?.[1];
    return isNull && (Number.parseInt(flags ?? "", 8) & constants.O_RDWR) !== 0;
  } catch {
    // Only Linux shows how a stream was opened.
    return false;
  }
}
