import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What `run.js` prints. */
export interface Report {
  /** The commands of all processes below the host before its end, as the kernel shows them. */
  readonly before: readonly string[];
  readonly filesBefore: number;
  readonly left: readonly string[];
  readonly goneMs: number;
  readonly files: readonly string[];
}

/** Starts a host by `run.js`, ends the host in the middle of a turn, and reports what is left of it. */
export async function endHost(flags: Readonly<Record<string, string | number>>): Promise<Report> {
  const program = fileURLToPath(new URL("./run.js", import.meta.url));
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout) as Report;
}

/** The processes of each CLI: the CLI, its MCP server, two shells and their commands. */
export const PROCESSES_PER_CLI = 6;
export const WATCHDOG = 1;

export const LIMIT_MS = 180_000;
