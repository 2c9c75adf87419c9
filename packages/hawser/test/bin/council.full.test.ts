import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli } from "../../src/testing/index.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { deaf, HAWSER, hawserIn, KEYS, place } from "../support/pty.js";

type Place = ReturnType<typeof place>;

/** A repository with one commit, and a change since then. */
function repository(added: string): Place {
  const here = place();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: here.cwd,
      env: here.env,
    });
  writeFileSync(join(here.cwd, "knot.js"), "export const knot = 1;\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  writeFileSync(join(here.cwd, "knot.js"), `export const knot = 1;\n${added}`);
  return here;
}

async function run({ cwd, env }: Place, args: readonly string[], input = "") {
  const child = spawn(process.execPath, [HAWSER, "council", ...args], { cwd, env });
  child.stdin.end(input);
  const [[code], out, err] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: code as number, out, err };
}

describe("hawser council", () => {
  it("shows the votes as they come, then the report, in a terminal; a pass is 0", async () => {
    const pty = hawserIn(repository("export const hitch = 2;\n"), "council", "--offline");
    await pty.shows("offline: Claude Code");
    await pty.shows("waiting for correctness, security, simplicity");
    await pty.shows(/security: +APPROVE \(50%\)/);
    await pty.shows("approved 3 to 0");
    await pty.shows(/\$0\.00 · \d+\.\d s/);
    expect(await pty.exit).toMatchObject({ code: 0 });
    expect(pty.text).toMatch(/correctness: approve \(\d+\.\d s\)/);
  });

  it("rejects with 1, and prints the report as JSON", async () => {
    const { code, out, err } = await run(repository("// FIXME\n"), ["--offline", "--json"]);
    const report = JSON.parse(out);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(report).toMatchObject({
      verdict: "reject",
      label: "rejected 3 to 0",
      absences: [],
      findings: [{ title: "FIXME", reviewers: ["correctness", "security", "simplicity"] }],
    });
    expect(report.votes).toHaveLength(3);
  });

  it("reviews what is piped in, with the reviewers of a file; too few votes are 2", async () => {
    const here = place();
    const reviewers = [{ name: "only", systemPrompt: "You look at all.", weight: 2 }];
    writeFileSync(join(here.cwd, "seats.json"), JSON.stringify(reviewers));
    const args = ["--offline", "--json", "--reviewers", "seats.json"];
    const passed = await run(here, args, "A plan.");
    expect(passed.code).toBe(0);
    expect(JSON.parse(passed.out).votes).toMatchObject([{ reviewer: "only", weight: 2 }]);
    const late = await run(here, [...args, "--timeout", "1ms"], "A plan.");
    expect(late.code).toBe(2);
    expect(JSON.parse(late.out)).toMatchObject({
      verdict: "none",
      absences: [{ reviewer: "only", error: { code: "timeout" } }],
    });
  });

  it.each([
    { name: "no repository", args: [], code: 64, says: "Run it in a repository" },
    { name: "an unknown rule", args: ["--rule", "dice"], code: 64, says: "--rule must be one of" },
    {
      name: "a range that is an option",
      args: ["--range=--output=x"],
      code: 64,
      says: "cannot begin with a dash",
    },
    {
      name: "reviewers that are not there",
      args: ["--reviewers", "no.json"],
      code: 64,
      says: "no.json",
    },
    {
      name: "a folder that is not there",
      args: ["--cwd", "no"],
      code: 66,
      says: "There is no folder",
    },
    { name: "a word", args: ["src"], code: 64, says: 'Unexpected argument "src"' },
    {
      name: "a word after two dashes",
      args: ["--", "-x"],
      code: 64,
      says: 'Unexpected argument "-x"',
    },
    { name: "a quorum of none", args: ["--quorum", "0"], code: 64, says: "--quorum must be" },
    { name: "three rounds", args: ["--rounds", "3"], code: 64, says: "--rounds must be 1 or 2" },
  ])("refuses $name with $code", async ({ args, says, code: wanted }) => {
    const { code, out, err } = await run(place(), ["--offline", ...args]);
    expect({ code, out, err }).toEqual({
      code: wanted,
      out: "",
      err: expect.stringContaining(says),
    });
  });

  it("refuses an empty diff, a text with NUL, and a subject over 4 MiB, also one without an end", async () => {
    const here = repository("");
    expect(await run(here, ["--offline"])).toMatchObject({
      code: 64,
      err: expect.stringContaining("Nothing has changed since the last commit."),
    });
    expect(await run(here, ["--offline"], "\x89PNG\r\n\0")).toMatchObject({
      code: 64,
      err: expect.stringContaining("it contains NUL"),
    });
    const endless = spawn(
      "sh",
      ["-c", `yes | "$0" "$1" council --offline`, process.execPath, HAWSER],
      {
        ...here,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const [[code], err] = await Promise.all([once(endless, "exit"), text(endless.stderr)]);
    expect({ code, err }).toEqual({
      code: 64,
      err: expect.stringContaining("subject is larger than 4 MiB."),
    });
  });

  it("fails with the code of the error if no reviewer can start", async () => {
    const here = repository("export const hitch = 2;\n");
    const env = { ...here.env, HAWSER_CLI: "/no/claude" };
    const { code, out } = await run({ ...here, env }, ["--json"]);
    expect(code).toBe(127);
    expect(JSON.parse(out)).toMatchObject({ error: { code: "cli_not_found" } });
  });

  it("ends with 130 at Ctrl-C, and leaves no process", async () => {
    const here = repository("export const hitch = 2;\n");
    // A CLI that begins to answer, and minds nothing.
    const cli = await deaf();
    const pty = hawserIn({ ...here, env: { ...here.env, HAWSER_CLI: cli.path } }, "council");
    await pty.shows("waiting for correctness, security, simplicity");
    const tree = await until(() => {
      const seen = treeOf(pty.pid);
      return seen.filter(({ command }) => command.includes(cli.path)).length >= 3 && seen;
    });
    pty.type(KEYS.ctrlC);
    expect(await pty.exit).toMatchObject({ code: 130 });
    await until(() => stillAlive(tree).length === 0);
  });

  it("lets no escape sequence of a failure through, and fits a narrow terminal", async () => {
    const here = repository("export const hitch = 2;\n");
    const cli = await fakeCli({
      steps: [
        { on: "user", times: "always", do: [{ stderr: "\x1b]0;owned\x07boom" }, { exit: 1 }] },
      ],
    });
    onTestFinished(() => cli.dispose());
    const env = { ...here.env, HAWSER_CLI: cli.path, NO_COLOR: "1" };
    const pty = hawserIn({ ...here, env, cols: 40 }, "council");
    expect(await pty.exit).toMatchObject({ code: 2 });
    expect(pty.raw).not.toContain("\x1b]0;");
    expect(pty.raw).not.toMatch(/\x1b\[\d+m/);
    expect(pty.text).toContain(`+${"=".repeat(38)}+`);
    expect(pty.text).toMatch(/^\| {2}correctness: ABSENT {17}\|$/m);
  });
});
