// A host that renews its session until it is told to stop. It prints the pid of its CLI, "tool" when a tool runs,
// and how the turn ended. Arguments: the CLI, and whether it renews.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DIST } from "../../../../tools/dist.js";

const { openSession } = await import(`${DIST}/index.js`);
const { isolatedEnv, SimulatedModel, toolUse } = await import(`${DIST}/testing/index.js`);

const [, , cliPath, renews] = process.argv;
const bash = toolUse("Bash", { command: "touch begun; sleep 600", description: "d" });
const model = await SimulatedModel.start({ replies: [bash] });
const world = await isolatedEnv({ baseUrl: model.url });
const { env, cwd } = world;
const session = await openSession({
  cliPath,
  env,
  inheritEnv: false,
  cwd,
  allowedTools: ["Bash"],
  renewWithinMs: 5_000,
});
console.log(session.pid);
const heart = setInterval(() => session.renew(), 300);
const turn = session.send("Build it.");
turn.result.catch(() => {});
const look = setInterval(() => {
  if (!existsSync(join(cwd, "begun"))) return;
  clearInterval(look);
  if (renews === "no") clearInterval(heart);
  console.log("tool");
}, 20);
try {
  await turn.result;
} catch ({ code, phase, message }) {
  console.log(JSON.stringify({ code, phase, message }));
}
session.renew();
clearInterval(heart);
await session.close();
await world.dispose();
// The script has no reply for a turn that was cut off.
await model.close().catch(() => {});
