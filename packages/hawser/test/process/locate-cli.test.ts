import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { locateCli } from "../../src/process/index.js";
import {
  installerPaths,
  type Machine,
  pathVariablePaths,
} from "../../src/process/locate/cli-search-paths.js";
import { shimTarget } from "../../src/process/locate/inspect-candidate.js";

let root = "";
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hawser-locate-")));
});
afterAll(() => rmSync(root, { recursive: true }));

function file(name: string, { text = "#!/bin/sh\n", mode = 0o755 } = {}): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** A machine with nothing on it but what the test puts there. */
function machine(facts: Partial<Machine> = {}): Machine {
  return {
    env: {},
    platform: "linux",
    arch: "x64",
    root: "/",
    home: join(root, "nobody"),
    cwd: join(root, "empty"),
    self: join(root, "hawser", "dist", "index.js"),
    fromCwd: false,
    ...facts,
  };
}

function failure(run: () => unknown): HawserError {
  try {
    run();
  } catch (error) {
    return error as HawserError;
  }
  throw new Error("it did not fail");
}

function loop(name: string): string {
  const path = join(root, name);
  rmSync(path, { force: true });
  symlinkSync(path, path);
  return path;
}

const STUB = 'echo "Error: claude native binary not installed." >&2\nexit 1\n';

describe("locateCli() with cliPath", () => {
  it("returns the path as it is", () => {
    const path = file("explicit/claude");
    expect(locateCli({ cliPath: path }, machine())).toEqual({
      path,
      source: "option",
      script: false,
    });
    expect(locateCli({ pathToClaudeCodeExecutable: path }, machine())).toEqual({
      path,
      source: "option",
      script: false,
    });
  });

  it("runs a script under Node, executable or not", () => {
    const path = file("explicit/cli.mjs", { mode: 0o644 });
    expect(locateCli({ cliPath: path }, machine())).toEqual({
      path,
      source: "option",
      script: true,
    });
    const link = join(root, "explicit", "linked");
    symlinkSync(path, link);
    expect(locateCli({ cliPath: link }, machine())).toEqual({
      path: link,
      source: "option",
      script: true,
    });
  });

  it("looks for a bare name on PATH only", () => {
    const path = file("on-path/claude-beta");
    const env = { PATH: `${join(root, "missing")}:${join(root, "on-path")}` };
    expect(locateCli({ cliPath: "claude-beta" }, machine({ env }))).toEqual({
      path,
      source: "option",
      script: false,
    });
    const error = failure(() => locateCli({ cliPath: "claude-gamma" }, machine({ env })));
    expect(error).toMatchObject({ code: "cli_not_found", cliPath: "claude-gamma" });
    expect(error.message).toContain('no executable "claude-gamma" is on PATH');
  });

  it.each([
    ["a missing file", () => join(root, "nowhere", "claude"), "cli_not_found", "there is no file"],
    ["a directory", () => root, "cli_not_runnable", "it is a directory"],
    [
      "a file without the run bit",
      () => file("bad/plain", { mode: 0o644 }),
      "cli_not_runnable",
      "not executable",
    ],
    [
      "the npm package's stub",
      () => file("bad/claude.exe", { text: STUB }),
      "cli_not_runnable",
      "stub",
    ],
    ["behind a file", () => join(file("bad/file"), "claude"), "cli_not_found", "there is no file"],
    ["a loop of links", () => loop("bad/loop"), "cli_not_runnable", "ELOOP"],
    ["a device", () => "/dev/null", "cli_not_runnable", "not a regular file"],
  ])("throws for %s, without a fallback", (_name, path, code, words) => {
    const fallback = file("good/claude");
    const error = failure(() =>
      locateCli({ cliPath: path() }, machine({ env: { PATH: dirname(fallback) } })),
    );
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
    expect(error.message).toContain("cliPath");
  });
});

describe("locateCli() with a relative entry in PATH", () => {
  it.each(["bin", "./bin", "here/../bin"])("skips %s, and says why", (entry) => {
    const path = file("here/bin/claude");
    mkdirSync(join(root, "here", "here"), { recursive: true });
    const here = machine({ cwd: join(root, "here"), env: { PATH: entry } });
    const error = failure(() => locateCli({ cliPath: "claude" }, here));
    expect(error.code).toBe("cli_not_runnable");
    expect(error.message).toContain(`${path} cannot be run: PATH names its folder relative`);
    const onPath = file("relative-and-absolute/claude");
    const PATH = `${entry}:${dirname(onPath)}`;
    expect(locateCli({}, { ...here, env: { PATH } }).path).toBe(onPath);
  });

  it("does not treat an empty entry as the current directory", () => {
    file("empty-entry/claude");
    const here = machine({ cwd: join(root, "empty-entry"), env: { PATH: ":" } });
    expect(failure(() => locateCli({ cliPath: "claude" }, here)).code).toBe("cli_not_found");
  });

  it("skips a relative home folder", () => {
    file("relative-home/.local/bin/claude");
    const here = machine({ cwd: join(root, "relative-home"), home: "." });
    expect(installerPaths(here).every(({ path }) => path.startsWith("/"))).toBe(true);
    expect(installerPaths(machine({ home: undefined })).length).toBeGreaterThan(0);
  });
});

describe("locateCli() with HAWSER_CLI", () => {
  it("prefers HAWSER_CLI over PATH", () => {
    const path = file("ordered/claude");
    expect(locateCli({}, machine({ env: { HAWSER_CLI: path, PATH: root } }))).toEqual({
      path,
      source: "HAWSER_CLI",
      script: false,
    });
  });

  it("throws when HAWSER_CLI is not usable", () => {
    const error = failure(() =>
      locateCli({}, machine({ env: { HAWSER_CLI: join(root, "no", "such") } })),
    );
    expect(error.code).toBe("cli_not_found");
    expect(error.message).toContain("HAWSER_CLI");
  });
});

describe("locateCli()", () => {
  it("prefers CLAUDE_CODE_BUNDLED_CLI over a bundled file, and both over PATH", () => {
    const named = file("bundle/named");
    const beside = file("hawser/dist/_bundled/claude");
    const onPath = file("path-dir/claude");
    const PATH = dirname(onPath);
    expect(locateCli({}, machine({ env: { CLAUDE_CODE_BUNDLED_CLI: named, PATH } })).path).toBe(
      named,
    );
    expect(locateCli({}, machine({ env: { PATH } }))).toEqual({
      path: beside,
      source: "bundled",
      script: false,
    });
    rmSync(beside);
    const above = file("hawser/_bundled/claude");
    expect(locateCli({}, machine({ env: { PATH } })).path).toBe(above);
    rmSync(above);
  });

  it("skips a bundled file that is not usable", () => {
    const bad = file("bundle/stub", { text: STUB });
    const env = { CLAUDE_CODE_BUNDLED_CLI: bad, PATH: dirname(file("path-dir/claude")) };
    expect(locateCli({}, machine({ env })).source).not.toBe("bundled");
  });

  it("finds the platform package of an npm package whose install script did not run", () => {
    const modules = "app/node_modules/@anthropic-ai";
    file(`${modules}/claude-code/package.json`, { text: '{"name":"@anthropic-ai/claude-code"}' });
    file(`${modules}/claude-code/bin/claude.exe`, { text: STUB });
    file(`${modules}/claude-code-linux-riscv64/package.json`, { text: "{}" });
    const native = file(`${modules}/claude-code-linux-riscv64/claude`);
    const self = join(root, "app/node_modules/hawser/dist/index.js");
    expect(locateCli({}, machine({ self, arch: "riscv64" }))).toEqual({
      path: native,
      source: "package",
      script: false,
    });
  });

  it("finds the script of an older npm package", () => {
    const modules = "old-app/node_modules/@anthropic-ai";
    file(`${modules}/claude-code/package.json`, { text: '{"name":"@anthropic-ai/claude-code"}' });
    const script = file(`${modules}/claude-code/cli.js`, { mode: 0o644 });
    const self = join(root, "old-app/node_modules/hawser/dist/index.js");
    expect(locateCli({}, machine({ self, arch: "mips" }))).toEqual({
      path: script,
      source: "package",
      script: true,
    });
  });

  it("prefers PATH over the usual places", () => {
    const home = join(root, "home-and-path");
    file("home-and-path/.local/bin/claude");
    const onPath = file("first-on-path/claude");
    expect(locateCli({}, machine({ home, env: { PATH: dirname(onPath) } }))).toEqual({
      path: onPath,
      source: "PATH",
      script: false,
    });
  });

  const folders = [
    ".npm-global/bin",
    ".local/bin",
    "node_modules/.bin",
    ".yarn/bin",
    ".claude/local",
  ];
  it.each(folders)("looks in ~/%s", (folder) => {
    const home = join(root, "homes", folder.replaceAll("/", "-"));
    const path = file(join("homes", folder.replaceAll("/", "-"), folder, "claude"));
    expect(locateCli({}, machine({ home }))).toEqual({
      path,
      source: "usual_place",
      script: false,
    });
  });

  it.each(["usr/local/bin", "opt/homebrew/bin"])("looks in /%s", (folder) => {
    const system = join("systems", folder.replaceAll("/", "-"));
    const path = file(join(system, folder, "claude"));
    expect(locateCli({}, machine({ root: join(root, system) }))).toEqual({
      path,
      source: "usual_place",
      script: false,
    });
  });

  it.skipIf(existsSync("/usr/local/bin/claude"))(
    "lists every place that it tried, and how to install the CLI",
    () => {
      const env = {
        PATH: "/p1:/p2:/p1:/usr/local/bin",
        CLAUDE_CODE_BUNDLED_CLI: file("bundle/stub2", { text: STUB }),
      };
      const error = failure(() => locateCli({}, machine({ env })));
      expect(error.code).toBe("cli_not_found");
      const { tried = [] } = error;
      const home = join(root, "nobody");
      for (const place of [
        `${env.CLAUDE_CODE_BUNDLED_CLI} (it is the npm package's stub`,
        "the npm package @anthropic-ai/claude-code beside hawser",
        "/p1/claude",
        "/p2/claude",
        "/usr/local/bin/claude",
        ...folders.map((folder) => join(home, folder, "claude")),
      ]) {
        expect(tried.some((each) => each.startsWith(place))).toBe(true);
      }
      expect(tried.join()).not.toContain("_bundled");
      expect(new Set(tried).size).toBe(tried.length);
      expect(error.hint).toContain("npm install -g @anthropic-ai/claude-code");
    },
  );
});

describe("locateCli() with PATH on Windows", () => {
  it("prefers .exe to .cmd and honours PATHEXT", () => {
    const env = { Path: "C:\\a;C:\\b", PATHEXT: ".COM;.EXE;.BAT;.CMD" };
    const found = (name: string) =>
      pathVariablePaths(name, machine({ platform: "win32", env })).map(({ path }) => path);
    expect(found("claude")).toEqual(
      ["C:\\a", "C:\\b"].flatMap((folder) =>
        [".exe", ".cmd", ".com", ".bat"].map((ending) => `${folder}\\claude${ending}`),
      ),
    );
    expect(found("claude.exe")).toEqual(["C:\\a\\claude.exe", "C:\\b\\claude.exe"]);
  });

  it("follows a .cmd shim to its target", () => {
    const native =
      '@ECHO off\r\nSETLOCAL\r\n"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"   %*\r\n';
    expect(shimTarget("C:\\npm\\claude.cmd", native)).toBe(
      "C:\\npm\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe",
    );
    const script =
      'IF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n)\r\n"%_prog%"  "%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js" %*\r\n';
    expect(shimTarget("C:\\npm\\claude.cmd", script)).toBe(
      "C:\\npm\\node_modules\\@anthropic-ai\\claude-code\\cli.js",
    );
    expect(shimTarget("C:\\npm\\claude.cmd", "@echo hello\r\n")).toBeUndefined();
  });
});
