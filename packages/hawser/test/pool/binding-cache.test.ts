import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { leaseRequestFor } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { type Binding, bindingOf } from "../../src/pool/binding.js";
import { BindingCache } from "../../src/pool/binding-cache.js";
import { settingsOf } from "../../src/pool/options.js";
import { ResetRecords } from "../../src/pool/reset-records.js";
import { recordingLogger } from "../support/recording-logger.js";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const records = new ResetRecords(QUIET);
const root = mkdtempSync(join(tmpdir(), "hawser-cache-"));
afterAll(() => rmSync(root, { recursive: true }));

let files = 0;

/** An executable that says this version, in a folder of its own. */
function executable(version: string): string {
  files += 1;
  const path = join(root, `${files}`, "claude");
  mkdirSync(dirname(path));
  rewrite(path, version);
  return path;
}

function rewrite(path: string, version: string): void {
  writeFileSync(path, `#!/bin/sh\necho '${version} (Claude Code)'\n`);
  chmodSync(path, 0o755);
}

/** Sets a variable of this program until the test is over. */
function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

/** A cache, and how many bindings it has made. */
function fixture() {
  const made: Binding[] = [];
  const cache = new BindingCache(settingsOf({}), records, (binding) => made.push(binding));
  const bind = async (options: Options) => cache.of(await leaseRequestFor("complete()", options));
  return { cache, made, bind };
}

/** The keys that a binding without a cache has now. */
async function keysNow(options: Options): Promise<unknown> {
  return keysOf(await bindingOf(await leaseRequestFor("complete()", options), "auto", records));
}

function keysOf({ spawnKey, familyKey, requestKey, account }: Binding): unknown {
  return { spawnKey, familyKey, requestKey, account };
}

const NEWEST = executable("2.1.325");
const BASE: Options = { cliPath: NEWEST, systemPrompt: "Short.", env: { TOKEN: "a" } };

describe("BindingCache", () => {
  it("makes one binding for calls with equal options", async () => {
    const { bind, made } = fixture();
    const first = await bind(BASE);
    expect(await bind({ ...BASE, env: { TOKEN: "a" } })).toBe(first);
    expect(made).toEqual([first]);
  });

  it.each<[string, Options]>([
    ["tenant and priority", { tenant: "t", priority: 3, pool: {} }],
    ["timeouts", { timeouts: { totalMs: 12_345 } }],
    ["signal", { signal: AbortSignal.timeout(60_000) }],
    ["logger and stderr", { logger: QUIET, stderr: () => {} }],
    ["maxRepairs", { maxRepairs: 7 }],
    ["pool", { pool: {} }],
  ])("ignores %s, which concern one call only", async (_, more) => {
    const { bind, made } = fixture();
    const first = await bind(BASE);
    expect(await bind({ ...BASE, ...more })).toBe(first);
    expect(made).toHaveLength(1);
  });

  it("makes one binding for calls that come at the same time", async () => {
    const { bind, made } = fixture();
    const options = { ...BASE, cliPath: executable("2.1.325") };
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const order: number[] = [];
    const bindings = await Promise.all(
      numbers.map(async (n) => {
        const binding = await bind(options);
        order.push(n);
        return binding;
      }),
    );
    expect([new Set(bindings).size, made.length]).toEqual([1, 1]);
    // The calls are served in the order in which they came.
    expect(order).toEqual(numbers);
  });

  it("fails for each of the calls that come at the same time, and tries again afterwards", async () => {
    const { bind } = fixture();
    const options = { cliPath: join(root, "later") };
    const calls = await Promise.allSettled([bind(options), bind(options)]);
    for (const each of calls) expect(each).toMatchObject({ reason: { code: "cli_not_found" } });
    rewrite(join(root, "later"), "2.1.325");
    expect((await bind(options)).prepared.versionText).toContain("2.1.325");
  });

  it.each<[string, Options]>([
    ["a function", { canUseTool: async () => ({ behavior: "allow" }) }],
    ["a hook", { hooks: { Stop: [{ hooks: [async () => ({})] }] } }],
    ["a settings file", { settings: join(root, "settings.json") }],
    ["a project that is not trusted", { preset: "agent" }],
    ["a user", { user: process.getuid?.() ?? 0 }],
    ["a folder that is not written as an absolute path", { cwd: "." }],
  ])("makes a binding for each call with %s", async (_, more) => {
    writeFileSync(join(root, "settings.json"), "{}");
    const { bind, made } = fixture();
    for (let calls = 0; calls < 3; calls += 1) await bind({ ...BASE, ...more });
    expect(made).toHaveLength(3);
  });

  it("makes a binding for each call to a CLI that says no version", async () => {
    const { bind, made } = fixture();
    const cliPath = executable("none");
    for (let calls = 0; calls < 2; calls += 1) await bind({ cliPath });
    expect(made).toHaveLength(2);
  });

  it("tells the logger of each call the warnings", async () => {
    const { bind, made } = fixture();
    const { logger, entries } = recordingLogger();
    const old: Options = { cliPath: executable("2.0.1"), onOldCli: "warn", effort: "max", logger };
    for (let calls = 0; calls < 3; calls += 1) await bind(old);
    expect(made).toHaveLength(1);
    const messages = entries.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(messages.length).toBeGreaterThanOrEqual(3);
    expect(new Set(messages).size).toBe(messages.length / 3);
  });

  it("keeps at most 100 bindings", async () => {
    const { bind, made } = fixture();
    for (let n = 0; n <= 100; n += 1) await bind({ ...BASE, systemPrompt: `${n}` });
    await bind({ ...BASE, systemPrompt: "100" });
    expect(made).toHaveLength(101);
    await bind({ ...BASE, systemPrompt: "0" });
    expect(made).toHaveLength(102);
  });
});

describe("BindingCache makes another binding after a change", () => {
  /** Binds before and after the change, which must lead to other keys. */
  async function expectSeen(options: Options, change: () => void, after = options) {
    const { bind, made } = fixture();
    const first = await bind(options);
    expect(await bind(options)).toBe(first);
    change();
    const second = await bind(after);
    expect(made).toEqual([first, second]);
    expect(keysOf(second)).toEqual(await keysNow(after));
    return { first, second };
  }

  it("of a value in an object that the caller passes again", async () => {
    const env: Record<string, string> = { TOKEN: "of-alice" };
    const { first, second } = await expectSeen({ ...BASE, env }, () => {
      env["TOKEN"] = "of-bob";
    });
    expect(first.prepared.invocation.env["TOKEN"]).toBe("of-alice");
    expect(second.prepared.invocation.env["TOKEN"]).toBe("of-bob");
    expect(second.spawnKey).not.toBe(first.spawnKey);
  });

  it("of a getter's value, though the getter has changed back meanwhile", async () => {
    const { bind } = fixture();
    let reads = 0;
    const env = {
      get TOKEN() {
        reads += 1;
        return reads % 2 === 0 ? "even" : "odd";
      },
    };
    for (let calls = 0; calls < 4; calls += 1) await bind({ ...BASE, env });
    for (const TOKEN of ["even", "odd"]) {
      const { prepared } = await bind({ ...BASE, env: { TOKEN } });
      expect(prepared.invocation.env["TOKEN"]).toBe(TOKEN);
    }
  });

  it.each(["ANTHROPIC_API_KEY", "HAWSER_TEST_CANARY", "PATH"])(
    "of process.env.%s",
    async (name) => {
      const value = `${process.env[name] ?? ""}:/changed`;
      const { second } = await expectSeen(BASE, () => setVariable(name, value));
      expect(second.prepared.invocation.env[name]).toBe(value);
    },
  );

  it("of process.env that the CLI does not inherit, because the mask of secrets depends on it", async () => {
    const secret = "sk-ant-a-secret-of-this-program";
    const own: Options = { ...BASE, inheritEnv: false };
    const { second } = await expectSeen(own, () => setVariable("ANTHROPIC_API_KEY", secret));
    expect(second.prepared.mask(`key ${secret}`)).not.toContain(secret);
  });

  it("of the CLI's file, which has another version now", async () => {
    const cliPath = executable("2.1.325");
    const options = { ...BASE, cliPath };
    const { second } = await expectSeen(options, () => rewrite(cliPath, "2.1.326"));
    expect(second.prepared.versionText).toContain("2.1.326");
  });

  it("of the link that leads to the CLI", async () => {
    const [one, other] = [executable("2.1.325"), executable("2.1.1400")];
    const cliPath = join(root, "link");
    symlinkSync(one, cliPath);
    const { second } = await expectSeen({ ...BASE, cliPath }, () => {
      rmSync(cliPath);
      symlinkSync(other, cliPath);
    });
    expect(second.prepared.versionText).toContain("2.1.1400");
  });

  it("of the search for the CLI, within a second", async () => {
    const [early, late] = [join(root, "early"), dirname(executable("2.1.325"))];
    mkdirSync(early);
    const env = { PATH: `${early}:${late}:/usr/bin:/bin` };
    const { bind } = fixture();
    const options: Options = { cliPath: "claude", env };
    expect((await bind(options)).prepared.location.path).toBe(join(late, "claude"));
    rewrite(join(early, "claude"), "2.1.325");
    await vi.waitFor(
      async () => {
        expect((await bind(options)).prepared.location.path).toBe(join(early, "claude"));
      },
      { timeout: 5_000, interval: 100 },
    );
  });

  it("of the working directory, which was removed", async () => {
    const { bind } = fixture();
    const cwd = mkdtempSync(join(root, "cwd-"));
    await bind({ ...BASE, cwd });
    rmSync(cwd, { recursive: true });
    await expect(bind({ ...BASE, cwd })).rejects.toMatchObject({ code: "cwd_not_found" });
  });

  it("of the CLI, which was removed", async () => {
    const { bind } = fixture();
    const cliPath = executable("2.1.325");
    await bind({ cliPath });
    rmSync(cliPath);
    await expect(bind({ cliPath })).rejects.toMatchObject({ code: "cli_not_found" });
  });

  it("of HAWSER_TRACE, and keeps no binding while it is set", async () => {
    const { bind, made } = fixture();
    await bind(BASE);
    setVariable("HAWSER_TRACE", join(root, "trace"));
    for (let calls = 0; calls < 2; calls += 1) {
      expect((await bind(BASE)).prepared.trace).toBeDefined();
    }
    expect(made).toHaveLength(3);
  });
});
