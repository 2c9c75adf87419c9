import { appendFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool } from "../../src/pool/index.js";
import { prepare } from "../../src/process/index.js";
import { type FakeCli, fakeCli } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";

/** A fake of this version that looks as if its installer had written the version 2.1.325. */
async function installed(version: string): Promise<FakeCli> {
  const cli = await fakeCli({
    version,
    steps: [{ on: "user", do: [{ turn: "Hi." }], times: "always" }],
  });
  onTestFinished(() => cli.dispose());
  // As large as the script of a real CLI, because the version beside a small one is not believed.
  appendFileSync(cli.path, `\n//${" ".repeat(2 ** 20)}`);
  const bin = { claude: "claude.mjs" };
  const manifest = { name: "@anthropic-ai/claude-code", version: "2.1.325", type: "module", bin };
  writeFileSync(join(dirname(cli.path), "package.json"), JSON.stringify(manifest));
  return cli;
}

async function starts(cli: FakeCli): Promise<readonly string[][]> {
  return (await cli.recorded()).map(({ argv }) => [...argv]);
}

function call(cli: FakeCli, options: Options = {}) {
  return complete("Hello.", { cliPath: cli.path, ...options });
}

const MISMATCH = "the CLI reports another version than its installation";

describe("a CLI whose installer wrote its version", () => {
  it("is not asked for its version", async () => {
    const { logger, entries } = recordingLogger();
    const cli = await installed("2.1.325 (Claude Code)");
    expect((await call(cli, { logger })).text).toBe("Hi.");
    const all = await starts(cli);
    expect(all.length).toBe(1);
    expect(all[0]).not.toContain("-v");
    expect(entries.map(({ message }) => message)).not.toContain(MISMATCH);
  });
});

describe("a CLI that reports another version than its installer wrote", () => {
  it("serves a call that is the same for both versions, with a warning", async () => {
    const { logger, entries } = recordingLogger();
    const cli = await installed("2.1.400 (Claude Code)");
    expect((await call(cli, { logger })).text).toBe("Hi.");
    expect(entries).toContainEqual(
      expect.objectContaining({
        level: "warn",
        message: MISMATCH,
        fields: expect.objectContaining({ installed: "2.1.325", reported: "2.1.400" }),
      }),
    );
    expect((await prepare({ cliPath: cli.path })).version).toEqual([2, 1, 400]);
    // The warning comes once, because later calls use the reported version.
    await call(cli, { logger });
    expect(entries.filter(({ message }) => message === MISMATCH).length).toBe(1);
  });

  it("fails a call with an option that its version lacks, as if the version had been known", async () => {
    const cli = await installed("2.1.197 (Claude Code)");
    const refused = {
      code: "unsupported_by_cli",
      message: "verbatimPrompts needs Claude Code 2.1.248 or newer; this one is 2.1.197.",
      issues: [{ path: "verbatimPrompts", message: "needs 2.1.248" }],
      cliVersion: "2.1.197",
      retryable: false,
    };
    await expect(call(cli, { verbatimPrompts: true })).rejects.toMatchObject(refused);
    await expect(call(cli, { verbatimPrompts: true })).rejects.toMatchObject(refused);
    // The second call knew the version, and started nothing.
    expect((await starts(cli)).length).toBe(1);
  });

  it("fails a call that would have been started in another way, and serves the next", async () => {
    const cli = await installed("2.0.77 (Claude Code)");
    const thinking = { type: "adaptive" } as const;
    await expect(call(cli, { thinking })).rejects.toMatchObject({
      code: "unsupported_by_cli",
      message: expect.stringContaining("was started as version 2.1.325"),
      cliVersion: "2.0.77",
      retryable: true,
    });
    expect((await call(cli, { thinking })).text).toBe("Hi.");
    const [first, second] = await starts(cli);
    expect(first).not.toEqual(second);
  });

  it("is retried by the call itself with `retry`", async () => {
    const cli = await installed("2.0.77 (Claude Code)");
    const retry = { attempts: 1, baseMs: 1 };
    expect((await call(cli, { thinking: { type: "adaptive" }, retry })).text).toBe("Hi.");
  });

  it("does not serve a second call in a pool that took it for the installed version", async () => {
    const cli = await installed("2.1.400 (Claude Code)");
    await using pool = createPool({ size: { min: 0, max: 1 } });
    for (let calls = 0; calls < 2; calls += 1) {
      expect((await pool.complete("Hello.", { cliPath: cli.path })).text).toBe("Hi.");
    }
    const prompts = (await cli.recorded()).map(
      ({ lines }) => lines.filter((line) => line.includes("Hello.")).length,
    );
    expect(prompts).toEqual([1, 1]);
  });
});
