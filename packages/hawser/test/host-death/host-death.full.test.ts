import { describe, expect, it } from "vitest";
import { CLIS, NEWEST_CLI, OLDER_CLI } from "../support/cli.js";
import { endHost, LIMIT_MS, PROCESSES_PER_CLI, WATCHDOG } from "./host-death.helper.js";

describe.skipIf(process.platform !== "linux")("watchdog after the host is killed in a turn", () => {
  describe.each(CLIS)("on $name", ({ path }) => {
    it.each([
      { entry: "complete", clis: 1 },
      { entry: "session", clis: 1 },
      { entry: "pool", clis: 4 },
    ])(
      "ends all processes and removes all files of entry $entry with $clis CLIs",
      async ({ entry, clis }) => {
        const report = await endHost({ cli: path, entry, clis });
        expect(report.before).toHaveLength(clis * PROCESSES_PER_CLI + WATCHDOG);
        expect(report.left).toEqual([]);
        expect(report.files).toEqual([]);
        // About a second is usual; parity/host-death holds it to three.
        expect(report.goneMs).toBeLessThan(15_000);
        // The older CLI needs its private file as long as it lives, so that there was one to remove.
        expect(report.filesBefore).toBe(path === OLDER_CLI ? clis : 0);
      },
      LIMIT_MS,
    );

    it(
      "leaves all processes and files behind with HAWSER_WATCHDOG=off",
      async () => {
        const report = await endHost({ cli: path, watchdog: "off", waitMs: 3000 });
        expect(report.before).toHaveLength(PROCESSES_PER_CLI);
        expect(report.left).toEqual(expect.arrayContaining(["tail -f /dev/null"]));
        expect(report.left.length).toBeGreaterThanOrEqual(PROCESSES_PER_CLI - 1);
        expect(report.files).toHaveLength(report.filesBefore);
      },
      LIMIT_MS,
    );
  });
});

describe.skipIf(process.platform !== "linux")(
  "host with a completion, a session and a pool",
  () => {
    it.each([
      "uncaught exception",
      "process.exit()",
      "SIGTERM",
      "SIGINT",
      "SIGTERM, own handler",
      "SIGINT, own handler",
    ])(
      "leaves no process and no file behind when it ends by: %s",
      async (ending) => {
        const report = await endHost({ cli: NEWEST_CLI, entry: "all", ending, clis: 4 });
        expect(report.before).toHaveLength(4 * PROCESSES_PER_CLI + WATCHDOG);
        expect(report.left).toEqual([]);
        expect(report.files).toEqual([]);
      },
      LIMIT_MS,
    );
  },
);
