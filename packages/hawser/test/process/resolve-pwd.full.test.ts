import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool } from "../../src/pool/index.js";
import { explainInvocation, prepare } from "../../src/process/index.js";
import { query } from "../../src/query/index.js";
import { always, fakeCli } from "../../src/testing/index.js";
import { clisInTurn, FULL, NEWEST_CLI } from "../support/cli.js";
import { until } from "../support/proc.js";
import { world } from "../support/world.js";

/** `real/sub` is a folder, `link` leads to `real`, and `elsewhere` leads to `real/sub`. */
function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hawser-pwd-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "real", "sub"), { recursive: true });
  symlinkSync(join(root, "real"), join(root, "link"));
  symlinkSync(join(root, "real", "sub"), join(root, "elsewhere"));
  return root;
}

async function pwdOf(options: Options): Promise<string | undefined> {
  const cli = await fakeCli();
  onTestFinished(() => cli.dispose());
  const { invocation } = await prepare({ cliPath: cli.path, ...options });
  return invocation.env["PWD"];
}

describe.skipIf(process.platform === "win32")("PWD of a process", () => {
  it.each([
    ["a folder", "real", "real"],
    ["a symbolic link, as it is written", "link/sub", "link/sub"],
    ["a path that ends in a slash", "real/", "real"],
    ["a parent that leads where it seems to", "real/sub/..", "real"],
    ["a parent behind a symbolic link, which leads elsewhere", "elsewhere/..", "real"],
  ])("names %s", async (_, cwd, pwd) => {
    const root = folders();
    expect(await pwdOf({ cwd: `${root}/${cwd}` })).toBe(`${root}/${pwd}`);
  });

  it("is absolute for a relative cwd", async () => {
    const here = fileURLToPath(new URL(".", import.meta.url));
    const cwd = relative(process.cwd(), here);
    expect(await pwdOf({ cwd })).toBe(join(process.cwd(), cwd));
  });

  it("is the PWD in `env` if there is one, and absent if `env` removes it", async () => {
    const cwd = folders();
    expect(await pwdOf({ cwd, env: { PWD: "/mine" } })).toBe("/mine");
    expect(await pwdOf({ cwd, env: { PWD: undefined } })).toBeUndefined();
  });

  it("follows cwd even if `env` is a copy of process.env", async () => {
    const cwd = folders();
    vi.stubEnv("PWD", process.cwd());
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await pwdOf({ cwd, env: { ...process.env } })).toBe(cwd);
  });

  it("is inherited without a cwd, unless it names another folder", async () => {
    const root = folders();
    const link = join(root, "to-here");
    symlinkSync(process.cwd(), link);
    vi.stubEnv("PWD", link);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await pwdOf({})).toBe(link);
    vi.stubEnv("PWD", root);
    expect(await pwdOf({})).toBe(process.cwd());
    vi.stubEnv("PWD", "/no/such/folder");
    expect(await pwdOf({})).toBe(process.cwd());
    expect(await pwdOf({ inheritEnv: false })).toBeUndefined();
  });

  it("is part of what explain() returns", async () => {
    const cwd = folders();
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    const { environment } = await explainInvocation({ cliPath: cli.path, cwd });
    expect(environment.set["PWD"]).toBe(cwd);
  });

  it("is cwd as given with spawnClaudeCodeProcess", async () => {
    const spawnClaudeCodeProcess = () => {
      throw new Error("never called");
    };
    const elsewhere = { cliPath: "/container/claude", spawnClaudeCodeProcess };
    expect(await pwdOf({ ...elsewhere, cwd: "/container/work" })).toBe("/container/work");
  });
});

/** An MCP server that writes its folder and its PWD to a file, and ends. */
function reporter(home: string) {
  const path = join(home, "reporter.mjs");
  const report = join(home, "report.jsonl");
  const line = 'JSON.stringify([process.cwd(), process.env.PWD ?? null]) + "\\n"';
  const file = JSON.stringify(report);
  writeFileSync(path, `import fs from "node:fs"; fs.appendFileSync(${file}, ${line});\n`);
  const servers = { reporter: { command: process.execPath, args: [path] } };
  return { servers, report };
}

describe.skipIf(process.platform === "win32").each(clisInTurn())(
  "an MCP server of $name",
  ({ path }) => {
    it("has a PWD that names its folder", async () => {
      const place = await world(path, always("Done."));
      const { servers, report } = reporter(place.home);
      const root = folders();
      const cwd = join(root, "link");
      await complete("x", { ...place.options, cwd, mcpServers: servers });
      expect((await linesOf(report, 1))[0]).toEqual([join(root, "real"), cwd]);
    });

    it("of query() has a PWD that names its folder, though `env` replaces the environment", async () => {
      const place = await world(path, always("Done."));
      const { servers, report } = reporter(place.home);
      const root = folders();
      const { env } = place;
      const options = { cliPath: path, cwd: root, env, mcpServers: servers, maxTurns: 1 };
      for await (const _ of query({ prompt: "x", options }));
      expect((await linesOf(report, 1))[0]).toEqual([root, root]);
    });
  },
);

// Four CLIs start for it.
it.runIf(FULL && process.platform !== "win32")(
  "an MCP server of a generic worker has no PWD of another folder",
  async () => {
    const place = await world(NEWEST_CLI, always("Done."));
    const { servers, report } = reporter(place.home);
    const root = folders();
    await using pool = createPool({ isolation: "process", size: { max: 3 } });
    const call = (folder: string) =>
      complete("x", {
        ...place.options,
        cwd: join(root, folder),
        preset: "agent",
        settingSources: [],
        mcpServers: servers,
        pool,
      });
    await call("real");
    await call("link");
    await until(() => pool.stats().processes.generic > 0);
    await call("elsewhere");
    expect(pool.stats().calls.by.generic).toBe(1);
    const sub = join(root, "real", "sub");
    const late = await until(async () =>
      (await linesOf(report, 1)).find(([folder]) => folder === sub),
    );
    expect(late).toEqual([sub, null]);
  },
);

async function linesOf(file: string, least: number): Promise<[string, string | null][]> {
  return until(() => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    return lines.length >= least && lines.map((line) => JSON.parse(line));
  });
}
