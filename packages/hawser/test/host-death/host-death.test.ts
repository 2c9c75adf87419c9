import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { isolatedEnv } from "../../src/testing/index.js";
import { clisInTurn, OLDER_CLI } from "../support/cli.js";
import { isAlive, until } from "../support/proc.js";
import { endHost, LIMIT_MS, PROCESSES_PER_CLI, WATCHDOG } from "./host-death.helper.js";

// host-death.full.test.ts has each entry point on its own, and every way a host can end.
describe.skipIf(process.platform !== "linux")("watchdog", () => {
  describe.each(clisInTurn())("on $name", ({ path }) => {
    it(
      "ends the CLIs of a completion, a session and a pool after the host is killed, with all their processes and files",
      async () => {
        const clis = 3;
        const report = await endHost({ cli: path, entry: "all", clis });
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
      "removes the temporary configuration of a session that was resumed from a store",
      async () => {
        const report = await endHost({ cli: path, entry: "stored" });
        expect(report.filesBefore).toBe(path === OLDER_CLI ? 2 : 1);
        expect(report.left).toEqual([]);
        expect(report.files).toEqual([]);
      },
      LIMIT_MS,
    );
  });
});

describe.skipIf(process.platform !== "linux")("host", () => {
  it.each(clisInTurn())(
    "ends its CLI with all processes and files when it is ended by SIGTERM, on $name",
    async ({ path }) => {
      const report = await endHost({ cli: path, entry: "complete", ending: "SIGTERM" });
      expect(report.before).toHaveLength(PROCESSES_PER_CLI + WATCHDOG);
      expect(report.left).toEqual([]);
      expect(report.files).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe.skipIf(process.platform !== "linux")("a CLI whose host is killed at once", () => {
  it.each(clisInTurn())(
    "ends by itself, although no watchdog knows of it yet, on $name",
    async ({ path }) => {
      const world = await isolatedEnv();
      onTestFinished(() => world.dispose());
      const options = { cliPath: path, cwd: world.cwd, env: world.env, inheritEnv: false };
      const program = fileURLToPath(new URL("./early-end.js", import.meta.url));
      const host = spawnSync(process.execPath, [program, JSON.stringify(options)], {
        encoding: "utf8",
        env: { ...process.env, HAWSER_WATCHDOG: "off" },
      });
      expect(host.signal).toBe("SIGKILL");
      const pid = Number(host.stdout);
      expect(pid).toBeGreaterThan(1);
      await until(() => !isAlive(pid));
    },
    LIMIT_MS,
  );
});
