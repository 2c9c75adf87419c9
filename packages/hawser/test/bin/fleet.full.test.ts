import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseVerb, type Verb } from "../../src/bin/command/choose-verb.js";
import { parseFlags } from "../../src/bin/command/flags.js";
import { databaseOf, fleetPlace, momentOf, oneOf } from "../../src/bin/fleet/fleet-flags.js";
import { BUILT } from "../support/built.js";
import { PACKAGE } from "../support/folders.js";
import { HAWSER } from "../support/pty.js";

function hawser(command: string, cwd: string, ...args: string[]) {
  return spawnSync(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd },
    encoding: "utf8",
  });
}

/** A copy of the built package in a folder where no other package is installed, and a project that has a stranger. */
function alone(): { command: string; project: string } {
  const folder = mkdtempSync(join(tmpdir(), "hawser-alone-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const installed = join(folder, "lib/node_modules/hawser");
  mkdirSync(installed, { recursive: true });
  cpSync(join(PACKAGE, "package.json"), join(installed, "package.json"));
  cpSync(BUILT, join(installed, "dist"), { recursive: true });
  const stranger = join(folder, "project/node_modules/@hawser/fleet");
  mkdirSync(stranger, { recursive: true });
  writeFileSync(join(stranger, "package.json"), '{"exports":{"./command":"./command.js"}}');
  writeFileSync(join(stranger, "command.js"), 'console.log("a stranger ran");');
  return { command: join(installed, "dist/bin/main.js"), project: join(folder, "project") };
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isOld = major < 22 || (major === 22 && minor < 12);

describe("the commands of the fleet", () => {
  it.each([["submit", "hello"], ["runs"], ["approve", "--list"], ["worker"], ["fleet", "status"]])(
    "hawser %s says which Node or which package it needs, and takes none of the current directory",
    (...args) => {
      const { command, project } = alone();
      const { status, stdout, stderr } = hawser(command, project, ...args);
      const missing = isOld
        ? `\`hawser ${args[0]}\` needs Node 22.12 or newer; this is Node ${process.versions.node}.`
        : `\`hawser ${args[0]}\` needs the package @hawser/fleet.`;
      expect(stderr).toContain(missing);
      expect(stderr).toContain(isOld ? "Run hawser with Node 22.12" : "npm install @hawser/fleet");
      expect({ status, stdout }).toEqual({ status: 69, stdout: "" });
    },
  );

  it.each([
    [["runs", "lsit"], 'Unknown command "runs lsit".', "Did you mean `hawser runs list`?"],
    [["runs", "show"], "`hawser runs show` needs a run.", "See `hawser runs --help`."],
    [["runs", "show", "a", "b"], 'Unexpected argument "b" of `hawser runs show`.', "runs --help"],
    [
      ["runs", "show", "a", "--tenant", "x"],
      "`hawser runs show` does not take --tenant.",
      "--help",
    ],
    [["fleet", "tenant"], 'Unknown command "fleet tenant".', "hawser fleet"],
    [["fleet", "tenant", "set"], "`hawser fleet tenant set` needs a tenant.", "fleet --help"],
    [["approve", "--allow"], "--allow needs a question", "approve --help"],
    [["approve", "q1", "--watch"], "--watch is for the list of questions", "approve --help"],
    [["approve", "q1", "--allow", "--deny", "x"], "Use --allow or --deny, not both.", "--help"],
    [["approve", "q1", "--answer", "yes"], "--answer is not JSON", "approve --help"],
    [["submit", "--priority", "urgent", "x"], "--priority must be low, normal or high", "--help"],
    [["submit", "--fork", "x"], "--fork needs a session", "submit --help"],
    [["submit", "--cwd", ".", "x"], "--cwd is the folder of the worker of --follow", "--help"],
    [["submit", "--metadata", "ticket", "x"], "--metadata must be a name and a text", "--help"],
    [["submit", "--database", "mysql://x/y", "x"], "not mysql://", "postgres://"],
    [["submit", "--database", ":memory:", "x"], ":memory: ends with the command", "folder"],
    [["worker", "--slots", "none"], "--slots must be a whole number", "worker --help"],
    [["worker", "extra"], 'Unexpected argument "extra".', "worker --help"],
  ])("refuse hawser %j before they load anything", (args, message, hint) => {
    const { status, stdout, stderr } = hawser(HAWSER, tmpdir(), ...args);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect({ status, stdout }).toEqual({ status: 64, stdout: "" });
  });
});

describe("fleetPlace()", () => {
  const place = (flags: { database?: string; offline?: boolean }, env = {}) =>
    fleetPlace({ database: flags.database, offline: flags.offline ?? false }, env);

  it("takes --database, then HAWSER_DATABASE, then a folder of the current directory", () => {
    const env = { HAWSER_DATABASE: "postgres://db/agents" };
    expect(place({ database: "here" }, env).database).toEqual({ folder: resolve("here") });
    expect(place({}, env).database).toBe("postgres://db/agents");
    expect(place({}).database).toEqual({ folder: resolve(".hawser/fleet") });
  });

  it("keeps the runs of --offline apart, also from HAWSER_DATABASE", () => {
    const env = { XDG_STATE_HOME: "/state", HAWSER_DATABASE: "postgres://db/agents" };
    expect(place({ offline: true }, env)).toEqual({
      database: { folder: "/state/hawser/offline-fleet" },
      isOffline: true,
      flags: " --offline",
    });
    expect(place({ offline: true, database: "here" }, env).database).toEqual({
      folder: resolve("here"),
    });
  });
});

describe("flags of fleetPlace()", () => {
  it.each([
    [{}, ""],
    [{ offline: true }, " --offline"],
    [{ database: "my fleet" }, ` --database '${resolve("my fleet")}'`],
    [{ offline: true, database: "postgres://db/a" }, " --offline --database postgres://db/a"],
    [{ database: "postgres://me:s@fe@db/a" }, " --database postgres://me:PASSWORD@db/a"],
  ])("name the fleet of %j for another command, without a password", (given, flags) => {
    const place = { database: undefined, offline: false, ...given };
    const env = { HAWSER_DATABASE: "postgres://db/of-the-variable", XDG_STATE_HOME: "/state" };
    expect(fleetPlace(place, env).flags).toBe(flags);
  });
});

it("databaseOf() takes everything that begins like a URL of Postgres for one", () => {
  for (const named of ["postgres:/bad", "postgresql:db", "Postgres:///x"]) {
    expect(databaseOf("--database", named)).toBe(named);
  }
});

it("databaseOf() tells URLs and folders apart", () => {
  expect(databaseOf("--to", "postgresql://db/agents")).toBe("postgresql://db/agents");
  expect(databaseOf("--to", "./c:odd")).toEqual({ folder: resolve("./c:odd") });
});

describe("momentOf()", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");

  it.each([
    ["30m", "2026-01-31T12:30:00.000Z"],
    ["2d", "2026-02-02T12:00:00.000Z"],
    ["2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000Z"],
  ])("reads %s", (text, moment) => {
    expect(momentOf("--deadline", text, now).toISOString()).toBe(moment);
  });

  it.each([
    ["soon", "must be a time from now"],
    ["2020-01-01T00:00:00Z", "is in the past"],
  ])("refuses %s", (text, message) => {
    expect(() => momentOf("--deadline", text, now)).toThrow(message);
  });
});

it("oneOf() names the words that a flag takes", () => {
  expect(oneOf("--x", "b", ["a", "b"])).toBe("b");
  expect(() => oneOf("--x", "c", ["a", "b"])).toThrow("--x must be a or b, not c.");
});

it("chooseVerb() refuses a flag of another verb, also one that can be repeated", () => {
  const flags = { many: { value: "x", many: true, help: "" }, one: { help: "" } } as const;
  const verb: Verb<typeof flags, void> = { flags: [], words: [0, 0], run: async () => 0 };
  const verbs = { a: { ...verb, flags: ["many"] as const }, b: verb };
  const choose = (name: string, ...args: string[]) =>
    chooseVerb({
      command: "c",
      verbs,
      verb: name,
      words: [],
      flags: parseFlags(args, flags).flags,
    });
  expect(choose("a", "--many", "1", "--one")).toBe(verbs.a);
  expect(choose("b", "--one")).toBe(verb);
  expect(() => choose("b", "--many", "1")).toThrow("`hawser c b` does not take --many.");
});
