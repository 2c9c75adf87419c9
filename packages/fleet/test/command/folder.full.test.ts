import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/host-world.js";
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
      stderr: expect.stringMatching(/^hawser: run [0-9a-f-]{36}\n$/),
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

  it("says that a run of another profile keeps it from working, and with which command it goes on", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const other = await home.run("submit", "--offline", "--profile", "crew", "First.");
    const follow = home.start("submit", "--follow", "--offline", "hello");
    await follow.says("--profiles <file>");
    expect(follow.stderr).toContain(`The run ${other.stdout.slice(0, 8)} in the queue offline`);
    expect(follow.stderr).toContain('the profile "crew"');
    follow.child.kill("SIGKILL");
  });

  it("after Ctrl-C says which command continues the run that it has given back", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const place = ["--offline", "--database", "a fleet"];
    const first = home.start("submit", "--follow", ...place, "--cwd", ".", "count to 300");
    await until(async () => (await home.json("runs", ...place).catch(() => {}))?.runs?.[0]?.host);
    first.child.kill("SIGINT");
    const { code, stderr } = await first.ended;
    expect(code).toBe(130);
    const flags = `--offline --database '${join(home.cwd, "a fleet")}'`;
    expect(stderr).toContain(`Nobody works on the run now. hawser worker ${flags} continues it`);
    expect(stderr).toMatch(new RegExp(`hawser runs follow [0-9a-f]{8} ${flags} shows it`));
    expect((await home.json("runs", ...place)).runs).toMatchObject([{ state: "queued" }]);
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
      expect(stderr).toContain("The runs of --offline are shown with --offline.");
    }
    const inspected = await home.run("inspect", "--port", "0", "--database", "nowhere");
    expect(inspected.code).toBe(69);
    expect(inspected.stderr).toContain(`There is no fleet in ${join(home.cwd, "nowhere")}`);
    expect(readdirSync(home.cwd)).toEqual([]);
    const { stdout, code } = await home.run("submit", "Later.");
    expect(code).toBe(0);
    const { run } = await home.json("runs", "show", stdout.trim());
    expect(run).toMatchObject({ state: "queued", queue: "default" });
  });

  it("refuse a URL with a mistake in it, and a folder with other files, and change nothing", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const url = await home.run("submit", "--database", "postgres:/bad", "Hi.");
    expect({ code: url.code, stdout: url.stdout }).toEqual({ code: 64, stdout: "" });
    const full = join(home.cwd, "full");
    mkdirSync(full);
    writeFileSync(join(full, "letter.txt"), "Dear Ada");
    const before = statSync(full);
    for (const args of [["submit", "Hi."], ["runs"], ["worker", "--offline"]]) {
      const { code, stderr } = await home.run(...args, "--database", "full");
      expect({ args, code }).toEqual({ args, code: 64 });
      expect(stderr).toMatch(/holds no fleet|There is no fleet/);
    }
    expect(readdirSync(home.cwd)).toEqual(["full"]);
    expect(readdirSync(full)).toEqual(["letter.txt"]);
    expect([statSync(full).uid, statSync(full).mode]).toEqual([before.uid, before.mode]);
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
