import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/folders.js";

it("docs/capacity.md and its plot are what the simulation gives with the measured times", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["bench/fleet-capacity.js", "--check"],
    { cwd: REPOSITORY },
  );
  expect(stdout).toBe("");
}, 600_000);
