import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { clisInTurn, NEWEST_CLI, OLDER_CLI } from "../support/cli.js";

interface Report {
  /** The commands of all processes below the host before its end, as the kernel shows them. */
  readonly before: readonly string[];
  readonly filesBefore: number;
  readonly left: readonly string[];
  readonly goneMs: number;
  readonly files: readonly string[];
}

const LIMIT_MS = 180_000;

async function die(flags: Readonly<Record<string, string | number>>): Promise<Report> {
  const program = fileURLToPath(new URL("./run.js", import.meta.url));
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout) as Report;
}

/** For each CLI: itself, its MCP server, two shells and their commands. */
const EACH = 6;
const WATCHDOG = 1;

describe.skipIf(process.platform !== "linux")("a host that is killed in a turn", () => {
  describe.each(clisInTurn())("on $name", ({ path }) => {
    it.each([
      { entry: "complete", clis: 1 },
      { entry: "session", clis: 1 },
      { entry: "pool", clis: 4 },
    ])(
      "leaves nothing behind: $entry",
      async ({ entry, clis }) => {
        const report = await die({ cli: path, entry, clis });
        expect(report.before).toHaveLength(clis * EACH + WATCHDOG);
        expect(report.left).toEqual([]);
        expect(report.files).toEqual([]);
        // About a second is usual; parity/host-death holds it to three.
        expect(report.goneMs).toBeLessThan(15_000);
        // The older one needs its private file as long as it lives, so there was one to remove.
        expect(report.filesBefore).toBe(path === OLDER_CLI ? clis : 0);
      },
      LIMIT_MS,
    );

    it(
      "leaves no temporary configuration of a session that was resumed from a store",
      async () => {
        const report = await die({ cli: path, entry: "stored" });
        expect(report.filesBefore).toBe(path === OLDER_CLI ? 2 : 1);
        expect(report.left).toEqual([]);
        expect(report.files).toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      "without the watchdog, would leave all of it",
      async () => {
        const report = await die({ cli: path, watchdog: "off", waitMs: 3000 });
        expect(report.before).toHaveLength(EACH);
        expect(report.left).toEqual(expect.arrayContaining(["tail -f /dev/null"]));
        expect(report.left.length).toBeGreaterThanOrEqual(EACH - 1);
        expect(report.files).toHaveLength(report.filesBefore);
      },
      LIMIT_MS,
    );
  });
});

describe.skipIf(process.platform !== "linux")(
  "a host with a completion, a session and a pool",
  () => {
    it.each([
      "uncaught exception",
      "process.exit()",
      "SIGTERM",
      "SIGINT",
      "SIGTERM, own handler",
      "SIGINT, own handler",
    ])(
      "leaves nothing behind: %s",
      async (ending) => {
        const report = await die({ cli: NEWEST_CLI, entry: "all", ending, clis: 4 });
        expect(report.before).toHaveLength(4 * EACH + WATCHDOG);
        expect(report.left).toEqual([]);
        expect(report.files).toEqual([]);
      },
      LIMIT_MS,
    );
  },
);
