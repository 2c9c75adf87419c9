import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOrphans } from "hawser";
import { toolUse } from "hawser/testing";
import { expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";
import { runProgram } from "../support/running-example.js";

const world = aiWorld();

it("a program that forgets hawser.close() while a turn waits exits when the time limit of the turn is over", async () => {
  const file = join(world.place.cwd, "forgets.mjs");
  const dist = fileURLToPath(new URL("../../dist/index.js", import.meta.url));
  writeFileSync(
    file,
    `import { createHawser } from ${JSON.stringify(dist)};
     const model = createHawser().agent("sonnet", { parkedMs: 500 });
     const prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }];
     const { finishReason } = await model.doGenerate({ prompt });
     console.log(finishReason.unified);`,
  );
  world.script(toolUse("Bash", { command: "touch never", description: "makes" }));
  const program = runProgram(world, file);
  expect(await program.ended).toEqual({ code: 0, stdout: "tool-calls\n", stderr: "" });
  const { processes } = await findOrphans({ hostPid: program.child.pid ?? 0 });
  expect(processes).toEqual([]);
});
