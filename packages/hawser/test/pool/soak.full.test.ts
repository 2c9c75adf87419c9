import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../soak/run.js", import.meta.url));

/** A longer form, which also measures the memory, is `npm run soak`. */
const CALLS = 200;

it("a pool settles each call once and leaves nothing behind, with aborts, timeouts, kills and API errors", async () => {
  const run = spawn(process.execPath, [PROGRAM, `--calls=${CALLS}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([text(run.stdout), once(run, "exit")]);
  // The output has the seed, so that the run can be repeated.
  expect(code, said).toBe(0);
  const { outcomes, kills } = JSON.parse(said.slice(said.indexOf("{"))) as {
    outcomes: Readonly<Record<string, number>>;
    kills: number;
  };
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(CALLS);
  expect(outcomes).toMatchObject({
    ok: expect.any(Number),
    aborted: expect.any(Number),
    timeout: expect.any(Number),
    api_error: expect.any(Number),
  });
  expect(kills).toBeGreaterThan(0);
}, 300_000);
