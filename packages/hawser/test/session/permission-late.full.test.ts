import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../../src/session/index.js";
import { toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";

describe.each(clisInTurn())("canUseTool on $name", ({ path }) => {
  it("may answer after 30 s although the program reads no message", async () => {
    const touch = toolUse("Bash", { command: "touch a", description: "d" });
    const place = await world(path, [touch, "done"]);
    const session = await openSession({
      ...place.options,
      canUseTool: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30_000));
        return { behavior: "allow" };
      },
    });
    onTestFinished(() => session.close());
    const begun = performance.now();
    expect((await session.send("go").result).result).toBe("done");
    expect(performance.now() - begun).toBeGreaterThan(29_900);
    expect(existsSync(join(place.cwd, "a"))).toBe(true);
  }, 300_000);
});
