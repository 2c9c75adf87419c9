// A program with `inspector()`, as the tests start it: one session on the simulated model, which counts without end
// when it is told to. It says when it is ready. A line on stdin is a prompt.
import { createInterface } from "node:readline";
import { inspector } from "@hawser/inspector";
import { createApprovals, openSession } from "hawser";
import { isolatedEnv, reply, SimulatedModel, text } from "hawser/testing";

const model = await SimulatedModel.start({
  // Long enough for some restarts of a server beside it, also on a busy machine.
  replies: () => reply([text(words(3000))], { chunks: 3000, chunkDelayMs: 5 }),
});
const place = await isolatedEnv({ baseUrl: model.url });
const approvals = createApprovals();
const page = inspector({ approvals, name: "inspected" });
const session = await openSession({
  cliPath: process.env.TEST_CLI,
  cwd: place.cwd,
  env: place.env,
  inheritEnv: false,
  canUseTool: approvals.canUseTool,
});
console.log(JSON.stringify({ ready: session.id }));

for await (const prompt of createInterface({ input: process.stdin })) {
  session.send(prompt).result.catch(() => {});
}
await session.kill();
await page.close();
await place.dispose();
await model.close();

function words(count) {
  return Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
}
