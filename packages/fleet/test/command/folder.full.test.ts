import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CommandHome } from "./hawser-command.helper.js";

describe.concurrent("hawser submit --follow --offline", () => {
  it("works on a fresh machine without a server, is seen by other commands, and leaves no process", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const first = await home.run("submit", "--follow", "--offline", "hello");
    expect(first).toEqual({
      code: 0,
      stdout: expect.stringContaining("You said: hello\n"),
      stderr: "",
    });
    await home.gone();
    const { runs } = await home.json("runs", "--offline");
    expect(runs).toMatchObject([{ state: "done", queue: "offline", prompt: "hello" }]);
    await home.gone();
  });

  it("shares its database with a second program, and leaves nothing when all are killed", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const first = home.start("submit", "--follow", "--offline", "--json", "count to 1000");
    await first.says('"type":"text"');
    const { runs } = await home.json("runs", "--offline");
    const second = home.start("runs", "follow", runs[0].id, "--offline", "--json");
    await second.says('"type":"text"');
    expect(home.processes().length).toBeGreaterThan(4);
    first.child.kill("SIGKILL");
    second.child.kill("SIGKILL");
    await home.gone();
    const { runs: after } = await home.json("runs", "--offline");
    expect(after).toMatchObject([{ id: runs[0].id, state: "running" }]);
  });

  it("goes on with a run whose program was killed", async ({ onTestFinished }) => {
    const home = new CommandHome(onTestFinished);
    const key = ["submit", "--follow", "--offline", "--key", "once", "count to 30"];
    const first = home.start(...key, "--json");
    await first.says('"type":"text"');
    first.child.kill("SIGKILL");
    const { code, stdout } = await home.run(...key, "--json");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect({ code, run: lines.at(-1).run }).toMatchObject({
      code: 0,
      run: { state: "done", segments: 2, deaths: 1 },
    });
    expect(lines.map(({ type }) => type)).toContain("lost");
  });
});

describe.concurrent("the commands of a fleet", () => {
  it("make no database where there is none, unless they bring work", async ({ onTestFinished }) => {
    const home = new CommandHome(onTestFinished);
    for (const args of [["runs"], ["approve"], ["fleet"], ["fleet", "tenant", "show", "a"]]) {
      const { code, stderr } = await home.run(...args);
      expect({ args, code }).toEqual({ args, code: 64 });
      expect(stderr).toContain(`There is no fleet in ${join(home.cwd, ".hawser/fleet")}`);
    }
    expect(existsSync(join(home.cwd, ".hawser"))).toBe(false);
    const { stdout, code } = await home.run("submit", "Later.");
    expect(code).toBe(0);
    const { run } = await home.json("runs", "show", stdout.trim());
    expect(run).toMatchObject({ state: "queued", queue: "default" });
  });

  it("say how to start a worker if nobody works on the run that is followed", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const { stdout } = await home.run("submit", "--offline", "Later.");
    const follow = home.start("runs", "follow", stdout.trim(), "--offline");
    await follow.says("No worker serves the queue offline");
    expect(follow.stderr).toMatch(/hawser worker --offline$/m);
    follow.child.kill("SIGKILL");
  });
});
