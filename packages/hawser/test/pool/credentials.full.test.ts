import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isolatedEnv } from "../../src/testing/index.js";
import { HAWSER } from "../support/pty.js";
import { recordingLogger } from "../support/recording-logger.js";
import { onFake } from "./on-fake.helper.js";

const WARNING = "calls with different credentials share one user of this machine";

async function findings(cliPath: string): Promise<readonly { id: string; message: string }[]> {
  await using place = await isolatedEnv();
  const args = [HAWSER, "doctor", "--json", "--cli", cliPath];
  const run = promisify(execFile)(process.execPath, args, { env: place.env, cwd: place.cwd });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout).findings;
}

describe("Pool with calls that have different credentials", () => {
  it("warns its logger once", async () => {
    const { logger, entries } = recordingLogger();
    const { pool, options } = await onFake({ logger });
    for (const apiKey of ["sk-alice", "sk-alice"]) await pool.complete("x", { ...options, apiKey });
    expect(entries.filter(({ message }) => message === WARNING)).toEqual([]);
    for (const apiKey of ["sk-bob", "sk-carol"]) await pool.complete("x", { ...options, apiKey });
    const told = entries.filter(({ message }) => message === WARNING);
    expect(told).toEqual([expect.objectContaining({ level: "warn" })]);
    expect(JSON.stringify(told)).not.toMatch(/sk-(?:alice|bob|carol)/);
  });

  it.skipIf(process.platform !== "linux")(
    "is reported by hawser doctor as credential-mix",
    async () => {
      const { pool, cli, options } = await onFake();
      const mixesOfThis = async () =>
        (await findings(cli.path)).filter(
          ({ id, message }) => id === "credential-mix" && message.includes(`${process.pid} `),
        );
      await using _alice = await pool.openSession({ ...options, apiKey: "sk-alice" });
      await using _again = await pool.openSession({ ...options, apiKey: "sk-alice" });
      expect(await mixesOfThis()).toEqual([]);
      await using _bob = await pool.openSession({ ...options, oauthToken: "token-bob" });
      const [mix, ...others] = await mixesOfThis();
      expect(mix).toMatchObject({
        level: "warning",
        message: expect.stringContaining(
          `Program ${process.pid} runs CLIs with 2 different credentials under one user`,
        ),
      });
      expect(others).toEqual([]);
      expect(JSON.stringify(mix)).not.toMatch(/sk-alice|token-bob/);
    },
  );
});
