import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { leaseRequestFor } from "../../src/complete/index.js";
import type { OptionName, Options } from "../../src/options/index.js";
import { type Binding, bindingOf } from "../../src/pool/binding.js";
import { BindingCache } from "../../src/pool/binding-cache.js";
import { spawnKey } from "../../src/pool/keys.js";
import { settingsOf } from "../../src/pool/options.js";
import { ResetRecords } from "../../src/pool/reset-records.js";
import { spawnPlanOf } from "../../src/pool/workers/spawn-plan.js";
import { type Prepared, prepare } from "../../src/process/index.js";
import type { LeaseRequest } from "../../src/session/index.js";
import { type FakeCli, fakeCli } from "../../src/testing/index.js";
import { CASES, SCHEMA } from "../options/cases.helper.js";
import { FULL } from "../support/cli.js";
import { fc } from "../support/fc.js";

const VERSIONS = ["2.1.325", "2.1.197"];
const clis: FakeCli[] = [];
let settingsFile = "";

beforeAll(async () => {
  for (const version of VERSIONS) clis.push(await fakeCli({ version }));
  settingsFile = clis[0]?.path.replace("claude.mjs", "scenario.json") ?? "";
});

afterAll(async () => {
  for (const cli of clis) await cli.dispose();
});

/** Files that the cases name and this machine does not have. */
const HERE: Partial<Record<OptionName, (value: never) => unknown>> = {
  cwd: () => tmpdir(),
  plugins: (list: NonNullable<Options["plugins"]>) => list.map((it) => ({ ...it, path: "/tmp" })),
  settings: (value: Options["settings"]) => (value === "/etc/settings.json" ? settingsFile : value),
  user: () => process.getuid?.() ?? 0,
};

/** Options that choose the CLI, that a call does not accept, or that leave nothing to compare. */
const LEFT_OUT: ReadonlySet<OptionName> = new Set<OptionName>([
  "cliFrom",
  "cliPath",
  "pathToClaudeCodeExecutable",
  "executable",
  "projectKey",
  "recover",
  "renewWithinMs",
  "spawnClaudeCodeProcess",
  "pool",
]);

/** Options that do not reach the process, except for some values in the invocation. */
const HOST_ONLY: ReadonlySet<OptionName> = new Set<OptionName>([
  "abortController",
  "loadTimeoutMs",
  "logger",
  "maxLineBytes",
  "maxRepairs",
  "onElicitation",
  "onOldCli",
  "onStoreFailure",
  "onUserDialog",
  "preset",
  "priority",
  "requireMcp",
  "sessionStoreFlush",
  "signal",
  "stderr",
  "strictSettingsMerge",
  "tenant",
  "timeouts",
  "verbatimPrompts",
]);

/** The random combinations of options that are compared. */
const RUNS = FULL ? 150 : 45;

const NAMES = (Object.keys(CASES) as OptionName[]).filter((name) => !LEFT_OUT.has(name));

/** The cases of an option that a call can have here. */
function casesOf(name: OptionName): readonly Options[] {
  if (name === "schema") return [{ schema: SCHEMA }];
  const more = name === "sessionStore" ? { persistSession: true } : {};
  return CASES[name].map(({ options }) => here({ ...more, ...options }));
}

function here(options: Options): Options {
  const entries = Object.entries(options).map(([name, value]) => {
    const replace = HERE[name as OptionName] as ((value: unknown) => unknown) | undefined;
    return [name, replace === undefined ? value : replace(value)];
  });
  return Object.fromEntries(entries);
}

type Bound = { readonly binding: Binding; readonly request: LeaseRequest };

const SECRET = "sk-ant-the-secret-of-the-base";
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

async function bind(cliPath: string, options: Options, purpose: LeaseRequest["purpose"] = "call") {
  const base: Options = {
    cliPath,
    onOldCli: "ignore",
    logger: QUIET,
    env: { ANTHROPIC_API_KEY: SECRET, PATH: process.env["PATH"], A_TOKEN: "token-of-the-base" },
    inheritEnv: false,
    pool: {},
    ...options,
  };
  const request = { ...(await leaseRequestFor("complete()", base)), purpose };
  return { request, binding: await bindingOf(request, "auto", new ResetRecords(QUIET)) };
}

/** Undefined if the options contradict each other, or this CLI does not support them. */
async function tryToBind(cliPath: string, options: Options): Promise<Bound | undefined> {
  try {
    return await bind(cliPath, options);
  } catch (error) {
    if (isHawserError(error)) return undefined;
    throw error;
  }
}

/** Every function in a value, by its path. */
function functionsIn(value: unknown, path = "", seen = new Set<unknown>()): [string, unknown][] {
  if (typeof value === "function") return [[path, value]];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  return Object.entries(value).flatMap(([name, field]) =>
    functionsIn(field, `${path}.${name}`, seen),
  );
}

/** Everything that the CLI gets at its start and by initialize, as without a pool. */
async function toldOf({ request }: Bound): Promise<string> {
  const { invocation, user, graceMs } = await prepare(request.options);
  const { file, argv, env, files, initialize, cwd } = invocation;
  const folder = files[0]?.path.replace(/[^/]*$/, "") ?? "\0";
  const written = files.map(({ contents }) => contents);
  const told = [file, argv, Object.entries(env).sort(), cwd, user, graceMs, written, initialize];
  return JSON.stringify(told).replaceAll(folder, "");
}

function keysOf({ binding }: Bound): readonly string[] {
  const { spawnKey: spawn, familyKey = "", requestKey, account } = binding;
  return [spawn, familyKey, requestKey, account];
}

async function expectSound(bound: Bound): Promise<void> {
  const { binding, request } = bound;
  const { recipe } = binding;
  const start = spawnPlanOf(recipe, { sessionId: "own", log: QUIET, roams: false });
  const argv = start.invocation.argv.filter((argument) => argument !== "--session-id=own");
  const alike: Prepared = { ...start, invocation: { ...start.invocation, argv } };
  expect(spawnKey(alike, start.invocation.cwd)).toBe(binding.spawnKey);
  const theirs = new Set(functionsIn(request.options).map(([, each]) => each));
  const kept = functionsIn(recipe).filter(([, each]) => theirs.has(each));
  // A recipe is kept only if other calls may get a process by it.
  if (!binding.isAlone) expect(kept.map(([path]) => path)).toEqual([]);
  expect(() => JSON.stringify([recipe.prepared.invocation, recipe.late])).not.toThrow();
  for (const key of keysOf(bound)) expect(key).toMatch(/^([\w-]{43})?$/);
}

describe.each([0, 1])("bindingOf() on CLI %i", (i) => {
  const cli = () => clis[i]?.path ?? "";

  it("gives each option another request key exactly when the CLI is sent something else", async () => {
    const base = await bind(cli(), {});
    const toldToBase = await toldOf(base);
    for (const name of NAMES) {
      for (const options of casesOf(name)) {
        const bound = await bind(cli(), options);
        await expectSound(bound);
        const differs = (await toldOf(bound)) !== toldToBase;
        const isOther = bound.binding.requestKey !== base.binding.requestKey;
        expect({ name, options, isOther }).toEqual({ name, options, isOther: differs });
        if (HOST_ONLY.has(name)) expect({ name, differs }).toEqual({ name, differs: false });
      }
    }
  });

  it("gives the same keys as a BindingCache, whatever options came before", async () => {
    let made = 0;
    let asked = 0;
    const cache = new BindingCache(settingsOf({}), new ResetRecords(QUIET), () => {
      made += 1;
    });
    for (const _ of [1, 2]) {
      for (const name of NAMES) {
        for (const options of casesOf(name)) {
          const { request, binding } = await bind(cli(), options);
          const cached = await cache.of(request);
          asked += 1;
          expect({ options, keys: keysOf({ request, binding: cached }) }).toEqual({
            options,
            keys: keysOf({ request, binding }),
          });
          await expectSound({ request, binding: cached });
        }
      }
    }
    // Options that a reset does not clear are bound anew each time.
    expect(made).toBeLessThan(asked);
    expect(made).toBeGreaterThan(asked / 2);
  });

  it("defers no option of a session", async () => {
    for (const name of NAMES) {
      for (const options of casesOf(name)) {
        const bound = await bind(cli(), options, "session");
        await expectSound(bound);
        const { late, resets } = bound.binding;
        expect({ name, late, resets }).toEqual({ name, late: [], resets: undefined });
      }
    }
  });

  it("copies the options and the environment, so that later changes have no effect", async () => {
    const env: Record<string, string> = { KEY: "of-alice" };
    const server = { command: "serve", env: { KEY: "of-alice" } };
    const options: Options = { env, mcpServers: { server } };
    const { binding } = await bind(cli(), options);
    env["KEY"] = "of-bob";
    server.env.KEY = "of-bob";
    process.env["HAWSER_TEST_CANARY"] = "of-bob";
    const { prepared, late } = binding.recipe;
    delete process.env["HAWSER_TEST_CANARY"];
    const written = JSON.stringify([prepared.invocation.env, prepared.invocation.files, late]);
    expect(written).toContain("of-alice");
    expect(written).not.toContain("of-bob");
  });

  it("gives no family key to options that depend on the folder", async () => {
    const familyOf = async (options: Options) => (await bind(cli(), options)).binding.familyKey;
    const isNewest = i === 0;
    expect((await familyOf({})) !== undefined).toBe(isNewest);
    for (const options of [
      { additionalDirectories: ["/a"] },
      { mcpServers: "mcp.json" },
      { debugFile: "debug.txt" },
      { settingSources: ["project"] },
      { plugins: [{ type: "local", path: "/tmp" }] },
    ] satisfies Options[]) {
      expect(await familyOf(options)).toBeUndefined();
    }
  });

  it("never gives one key to two combinations of options that send the CLI different things", async () => {
    const picked = fc
      .uniqueArray(fc.constantFrom(...NAMES), { maxLength: 6 })
      .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(...casesOf(name)))))
      .map((parts): Options => Object.assign({}, ...parts));
    const changes = fc.constantFrom(...NAMES).chain((name) => fc.constantFrom(...casesOf(name)));
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(picked, changes, async (options, change) => {
        const one = await tryToBind(cli(), options);
        const other = await tryToBind(cli(), { ...options, ...change });
        if (one === undefined || other === undefined) return;
        await expectSound(one);
        compared += 1;
        const same = one.binding.requestKey === other.binding.requestKey;
        const sameTold = (await toldOf(one)) === (await toldOf(other));
        expect(same && !sameTold).toBe(false);
      }),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS / 3);
  });
});
