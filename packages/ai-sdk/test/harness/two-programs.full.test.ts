import { existsSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { harnessWorld } from "./support/harness-world.js";
import {
  allGone,
  type FirstLife,
  lifeIn,
  runProgram,
  type SecondLife,
} from "./support/run-program.js";

const world = harnessWorld();

describe("a turn that a program suspends", () => {
  it("is continued by another program: a denied call never runs", async () => {
    const file = join(world.ai.place.cwd, "denied-lives.txt");
    world.ai.script([toolUse("Bash", { command: `echo knot >> ${file}` })], "As you wish.");
    const first = (await runProgram("two-lives.ts", lifeIn(world))) as FirstLife;
    const second = (await runProgram("two-lives.ts", {
      ...lifeIn(world),
      suspended: first,
      approved: false,
    })) as SecondLife;
    expect(second).toMatchObject({ text: "As you wish.", left: 0 });
    expect(existsSync(file)).toBe(false);
    expect(world.ai.calls[1]?.prompt).toContain("Not today.");
  });

  it("is continued by another program: the model gets the result of a tool of the host", async () => {
    world.ai.script([toolUse("mcp__app__pick", { what: "rope" })], "A fine rope.");
    const first = (await runProgram("two-lives.ts", lifeIn(world))) as FirstLife;
    await allGone(first.pids);
    const second = (await runProgram("two-lives.ts", {
      ...lifeIn(world),
      suspended: first,
      picked: "the red rope",
    })) as SecondLife;
    expect(second).toMatchObject({ text: "A fine rope.", left: 0 });
    expect(world.ai.calls[1]?.prompt).toContain("the red rope");
    expect(world.ai.calls[1]?.system).toContain("You tie knots.");
  });
});
