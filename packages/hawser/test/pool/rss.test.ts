import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { rssMbOf } from "../../src/pool/workers/rss.js";

/** The way of this system, and the way of systems without /proc. */
const WAYS: NodeJS.Platform[] = process.platform === "linux" ? ["linux", "darwin"] : ["darwin"];

it.skipIf(process.platform === "win32").each(WAYS)(
  "rssMbOf() returns the memory of a running process on %s",
  async (platform) => {
    const mb = await rssMbOf(process.pid, platform);
    const expected = process.memoryUsage.rss() / 2 ** 20;
    expect(mb).toBeGreaterThan(expected / 2);
    expect(mb).toBeLessThan(expected * 2);
  },
);

it.each(WAYS)("rssMbOf() returns undefined for an exited process on %s", async (platform) => {
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(child, "close");
  expect(await rssMbOf(child.pid ?? -1, platform)).toBeUndefined();
});

it.each([0, -1, 1.5, Number.NaN])("rssMbOf() returns undefined for the pid %d", async (pid) => {
  for (const platform of WAYS) expect(await rssMbOf(pid, platform)).toBeUndefined();
});
