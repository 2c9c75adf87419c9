import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../soak/run.js", import.meta.url));

/** The long form, which also looks at the memory, is `npm run soak`. */
it("200 calls with aborts, timeouts, kills and errors settle once, and leave nothing behind", async () => {
  const run = spawn(process.execPath, [PROGRAM, "--calls=200"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([text(run.stdout), once(run, "exit")]);
  // The seed is in it, so that it can be run again.
  expect(code, said).toBe(0);
  const { outcomes, kills } = JSON.parse(said.slice(said.indexOf("{"))) as {
    outcomes: Readonly<Record<string, number>>;
    kills: number;
  };
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(200);
  expect(outcomes).toMatchObject({
    ok: expect.any(Number),
    aborted: expect.any(Number),
    timeout: expect.any(Number),
    api_error: expect.any(Number),
  });
  expect(kills).toBeGreaterThan(0);
}, 300_000);
