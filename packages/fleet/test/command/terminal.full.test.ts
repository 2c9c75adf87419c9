import { describe, expect, it } from "vitest";
import { hawserIn } from "../../../hawser/test/support/pty.js";
import { CommandHome } from "./hawser-command.helper.js";

describe.concurrent("on a terminal", () => {
  it("hawser submit --follow asks the question of its run, and shows the rest", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const pty = hawserIn(home, "submit", "--follow", "--offline", "write knot.txt: bowline");
    await pty.shows(/run [0-9a-f-]{36}/);
    await pty.shows("offline: Claude Code");
    await pty.shows("? Write");
    await pty.shows("it is on the machine of the worker");
    await pty.shows("+ bowline");
    await pty.shows(/\n +>$/);
    pty.enter("y");
    await pty.shows("Done. It gave:");
    await pty.shows(/done · \d segments? · \$0\.00 · /);
    expect(await pty.exit).toEqual({ code: 0, signal: undefined });
  });

  it("hawser approve asks the open questions; Ctrl-C leaves a question open", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const worker = home.start("worker", "--offline", "--hold", "1ms");
    await worker.says("serves");
    const { run } = await home.json("submit", "--offline", "write knot.txt: bowline");
    const follow = home.start("runs", "follow", run.id, "--offline");
    await follow.says("waits for an answer");
    const left = hawserIn(home, "approve", "--offline");
    await left.shows(`run ${run.id.slice(0, 8)} of default`);
    await left.shows("? Write");
    await left.shows(/\n +>$/);
    left.type("\x03");
    expect(await left.exit).toMatchObject({ code: 130 });
    const pty = hawserIn(home, "approve", "--offline");
    await pty.shows("? Write");
    await pty.shows(/\n +>$/);
    pty.enter("Use a hitch instead.");
    await pty.shows("1 answer counted.");
    expect(await pty.exit).toMatchObject({ code: 0 });
    expect((await follow.ended).stdout).toContain("Use a hitch instead.");
    const list = hawserIn(home, "runs", "--offline");
    await list.shows(/ID +STATE +TENANT +AGE +COST +ABOUT/);
    await list.shows(/[0-9a-f]{8} +done +default +.* write knot.txt: bowline/);
    expect(await list.exit).toMatchObject({ code: 0 });
  });

  it("Ctrl-C ends the following and gives the run back; it goes on later", async ({
    onTestFinished,
  }) => {
    const home = new CommandHome(onTestFinished);
    const pty = hawserIn(home, "submit", "--follow", "--offline", "count to 500");
    await pty.shows("1 2 3");
    pty.type("\x03");
    await pty.shows("Nobody works on the run now. hawser worker --offline continues it");
    expect(await pty.exit).toMatchObject({ code: 130 });
    await home.gone();
    const { runs } = await home.json("runs", "--offline");
    expect(runs).toMatchObject([{ state: "queued", deaths: 0 }]);
    expect((await home.run("runs", "cancel", runs[0].id, "--offline")).code).toBe(0);
  });
});
