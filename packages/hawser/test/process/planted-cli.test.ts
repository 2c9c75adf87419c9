import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
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
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { locateCli } from "../../src/process/index.js";
import type { Machine } from "../../src/process/locate/cli-search-paths.js";
import { ClaudeCodeProvider } from "../../src/providers/index.js";
import { BUILT } from "../support/built.js";
import { PACKAGE } from "../support/folders.js";

const run = promisify(execFile);
const PLATFORM = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
const isRoot = process.getuid?.() === 0;
const STRANGER = 54321;
const HAS_USUAL = ["/usr/local/bin/claude", "/opt/homebrew/bin/claude"].some((path) =>
  existsSync(path),
);

/** A folder for one test, by the path that the system gives a working directory there. */
function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "hawser-planted-")));
  chmodSync(path, 0o755);
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** A program that answers as the CLI does, and writes down that it ran. */
function plant(path: string, ran: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "$0" >> '${ran}'\necho '2.1.325 (Claude Code)'\n`);
  chmodSync(path, 0o755);
  return path;
}

function plantPackage(at: string, ran: string): string {
  const path = plant(join(at, "node_modules", PLATFORM, "claude"), ran);
  writeFileSync(join(dirname(path), "package.json"), JSON.stringify({ name: PLATFORM }));
  return path;
}

/** A checkout of somebody else's code, with a program in every place where a CLI could be. */
function checkout(root: string, ran: string): string {
  const repository = join(root, "repository");
  plantPackage(repository, ran);
  for (const name of ["claude", "_bundled/claude", "bin/claude", "node_modules/.bin/claude"]) {
    plant(join(repository, name), ran);
  }
  plant(join(repository, ".local/bin/claude"), ran);
  return repository;
}

/** The built library as `npm install -g` puts it, without a CLI beside it. */
function installed(root: string): string {
  const own = join(root, "lib", "node_modules", "hawser");
  mkdirSync(own, { recursive: true });
  cpSync(BUILT, join(own, "dist"), { recursive: true });
  cpSync(join(PACKAGE, "package.json"), join(own, "package.json"));
  return own;
}

interface Outcome {
  readonly stdout: string;
  readonly code: number;
}

async function outcomeOf(args: string[], cwd: string, env: object): Promise<Outcome> {
  try {
    const { stdout } = await run(process.execPath, args, { cwd, env: { ...env } });
    return { stdout, code: 0 };
  } catch (error) {
    const { stdout, code } = error as Outcome;
    return { stdout, code };
  }
}

describe("hawser in a checkout that contains a CLI", () => {
  // The command would run a CLI that this machine has in such a place.
  it.skipIf(HAS_USUAL).each([
    ["doctor", ["doctor"]],
    ["explain", ["explain"]],
    ["ask", ["ask", "--timeout", "20s", "hello"]],
  ])("%s does not run the CLI of the checkout", async (_name, args) => {
    const root = folder();
    const ran = join(root, "RAN");
    const repository = checkout(root, ran);
    const main = join(installed(root), "dist/bin/main.js");
    // The PATH that npx makes in this folder, with all kinds of entries that lead into it.
    const PATH = `${repository}/node_modules/.bin:.:bin::${dirname(process.execPath)}:/usr/bin:/bin`;
    for (const home of [join(root, "home"), ""]) {
      const { code } = await outcomeOf([main, ...args], repository, { PATH, HOME: home });
      expect(existsSync(ran) ? readFileSync(ran, "utf8") : "").toBe("");
      expect(code).not.toBe(0);
    }
  });

  it("locateCli() does not take the CLI of the checkout", () => {
    const root = folder();
    const repository = checkout(root, join(root, "RAN"));
    const self = join(root, "lib/node_modules/hawser/dist/index.js");
    const PATH = `${repository}/node_modules/.bin:.:bin:`;
    for (const home of [join(root, "home"), ""]) {
      const env = { PATH, HOME: home };
      expect(outcomeOn({ cwd: repository, env, home, self })).toMatch(/^Install it with/);
    }
  });

  it("checkCli() prefers the CLI that is installed beside hawser over PATH", async () => {
    const root = folder();
    const ran = join(root, "RAN");
    const repository = checkout(root, ran);
    const own = installed(root);
    const beside = plantPackage(join(root, "lib"), join(root, "beside"));
    const onPath = plant(join(root, "bin", "claude"), join(root, "on-path"));
    const program = `
      import { checkCli } from ${JSON.stringify(join(own, "dist/index.js"))};
      import { ClaudeCodeProvider } from ${JSON.stringify(join(own, "dist/providers/index.js"))};
      const { path, source } = await checkCli();
      const cwd = await checkCli({ cliFrom: "cwd" });
      const isAvailable = await new ClaudeCodeProvider().isAvailable();
      console.log(JSON.stringify({ path, source, isAvailable, cwd: [cwd.path, cwd.source] }));`;
    const report = async () => {
      const env = { PATH: `${root}/bin:/usr/bin:/bin`, HOME: join(root, "home") };
      const args = ["--input-type=module", "-e", program];
      return JSON.parse((await outcomeOf(args, repository, env)).stdout);
    };
    const asked = [join(repository, "node_modules", PLATFORM, "claude"), "cwd"];
    expect(await report()).toEqual({
      path: beside,
      source: "package",
      isAvailable: true,
      cwd: asked,
    });
    rmSync(join(root, "lib/node_modules/@anthropic-ai"), { recursive: true });
    expect(await report()).toEqual({ path: onPath, source: "PATH", isAvailable: true, cwd: asked });
    // Only the two calls that asked for it have run it.
    expect(readFileSync(ran, "utf8").trim().split("\n")).toEqual([asked[0], asked[0]]);
  });
});

function machine(facts: Partial<Machine>): Machine {
  return {
    env: {},
    platform: process.platform,
    arch: process.arch,
    // No CLI of this machine is found below it.
    root: "/nowhere",
    home: undefined,
    cwd: undefined,
    self: undefined,
    fromCwd: false,
    ...facts,
  };
}

function outcomeOn(facts: Partial<Machine>): string {
  try {
    const { path, source } = locateCli({}, machine(facts));
    return `${source} ${path}`;
  } catch (error) {
    const { hint, tried } = error as { hint: string; tried: string[] };
    return [hint, ...tried].join(", ");
  }
}

describe.skipIf(process.platform === "win32")(
  "locateCli() beside hawser's own installation",
  () => {
    it("does not search the node_modules of parent folders", () => {
      const root = folder();
      const self = join(root, "apps/one/node_modules/hawser/dist/index.js");
      plantPackage(root, "/dev/null");
      plantPackage(join(root, "apps"), "/dev/null");
      expect(outcomeOn({ self })).not.toContain(`${root}/node_modules`);
      const own = plantPackage(join(root, "apps/one"), "/dev/null");
      expect(outcomeOn({ self })).toBe(`package ${own}`);
    });

    it("finds the platform package beside the folder that pnpm links to", () => {
      const root = folder();
      const store = join(root, "node_modules/.pnpm");
      const self = join(store, "hawser@1/node_modules/hawser/dist/index.js");
      const native = plantPackage(join(store, "claude-code@2"), "/dev/null");
      const wrapper = join(store, "claude-code@2/node_modules/@anthropic-ai/claude-code");
      mkdirSync(wrapper);
      mkdirSync(join(root, "node_modules/@anthropic-ai"));
      symlinkSync(wrapper, join(root, "node_modules/@anthropic-ai/claude-code"));
      expect(outcomeOn({ self })).toBe(`package ${native}`);
    });

    it("refuses a file that every user can write to", () => {
      const root = folder();
      const self = join(root, "node_modules/hawser/dist/index.js");
      const own = plantPackage(root, "/dev/null");
      const open = dirname(own);
      chmodSync(open, 0o777);
      expect(outcomeOn({ self })).toContain(`${own} (every user can write to ${open})`);
      // In a sticky folder nobody can exchange what belongs to somebody else.
      chmodSync(open, 0o1777);
      expect(outcomeOn({ self })).toBe(`package ${own}`);
      chmodSync(own, 0o777);
      expect(outcomeOn({ self })).toContain(`every user can write to ${own}`);
    });

    it.skipIf(!isRoot)("refuses a file or link of another user", () => {
      const root = folder();
      chmodSync(root, 0o1777);
      // A program of one file in a folder where all may write, as in /tmp.
      const self = join(root, "main.js");
      writeFileSync(self, "");
      writeFileSync(join(root, "package.json"), "{}");
      const planted = plantPackage(root, "/dev/null");
      const bundled = plant(join(root, "_bundled/claude"), "/dev/null");
      chownSync(join(root, "node_modules"), STRANGER, STRANGER);
      chownSync(bundled, STRANGER, STRANGER);
      const refused = outcomeOn({ self });
      expect(refused).toContain(
        `${planted} (${join(root, "node_modules")} belongs to another user`,
      );
      expect(refused).toContain(`${bundled} (${bundled} belongs to another user`);
      expect(outcomeOn({ cwd: root, fromCwd: true })).toContain("belongs to another user");
      // The owner of hawser itself is trusted, because hawser's code runs already.
      chownSync(self, STRANGER, STRANGER);
      expect(outcomeOn({ self })).toBe(`bundled ${bundled}`);
    });
  },
);

describe("locateCli() with cliFrom", () => {
  it("searches the current directory and its parents first", () => {
    const root = folder();
    const planted = plantPackage(root, "/dev/null");
    const onPath = plant(join(root, "bin/claude"), "/dev/null");
    const cwd = join(root, "packages/one");
    mkdirSync(cwd, { recursive: true });
    const env = { PATH: dirname(onPath) };
    expect(outcomeOn({ cwd, env })).toBe(`PATH ${onPath}`);
    expect(outcomeOn({ cwd, env, fromCwd: true })).toBe(`cwd ${planted}`);
    expect(outcomeOn({ cwd, env: { ...env, HAWSER_CLI: onPath }, fromCwd: true })).toBe(
      `HAWSER_CLI ${onPath}`,
    );
  });

  it("is suggested when only the current directory has a CLI", () => {
    const root = folder();
    const planted = plantPackage(root, "/dev/null");
    expect(outcomeOn({ cwd: root })).toContain(
      `${planted} (it is in node_modules of the current directory, which is not searched without \`cliFrom: "cwd"\`)`,
    );
  });

  it("rejects an unknown value with invalid_options, also in the provider", async () => {
    const cliFrom = "CWD" as "cwd";
    expect(() => locateCli({ cliFrom })).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
    expect(() => new ClaudeCodeProvider({ cliFrom })).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
  });
});
