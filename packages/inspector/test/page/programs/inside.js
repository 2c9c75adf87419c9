// A program with `inspector()` and one session on the simulated model, as the tests of the page start it. With PORT it
// serves its own page as well. It prints JSON lines. A line on stdin is JSON: { "prompt": … } for the session,
// { "ask": command } for a question without a CLI, { "answer": true } to answer the oldest question itself.
import { createInterface } from "node:readline";
import { inspector } from "@hawser/inspector";
import { createApprovals, openSession } from "hawser";
import { isolatedEnv, reply, SimulatedModel, text, toolUse } from "hawser/testing";

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const model = await SimulatedModel.start({ replies: answerOf });
const place = await isolatedEnv({ baseUrl: model.url });
const approvals = createApprovals();
const { PORT, TOKEN, TEST_CLI } = process.env;
const page = inspector({
  approvals,
  name: "inside",
  transcripts: { configDir: place.configDir },
  ...(TOKEN !== undefined && { token: TOKEN }),
});
const url = PORT === undefined ? undefined : await page.listen({ port: Number(PORT) });
const session = await openSession({
  cliPath: TEST_CLI,
  cwd: place.cwd,
  env: place.env,
  inheritEnv: false,
  canUseTool: approvals.canUseTool,
});
say({ ready: session.id, url });

let asked = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { prompt, ask, answer } = JSON.parse(line);
  if (prompt !== undefined) {
    session.send(prompt).result.then(
      () => say({ ended: prompt }),
      () => {},
    );
  }
  if (ask !== undefined) {
    asked += 1;
    const id = `asked-${asked}`;
    const context = { toolUseID: id, requestId: id, signal: new AbortController().signal };
    void approvals.canUseTool("Bash", { command: ask }, context);
  }
  if (answer === true) {
    const [oldest] = approvals.pending();
    await approvals.answer(oldest.id, { behavior: "allow" }, { by: "the program" });
    say({ answered: oldest.summary });
  }
}
await session.kill();
await approvals.close();
await page.close();
await place.dispose();
await model.close();

function answerOf(call) {
  const [result] = call.toolResults.slice(-1);
  if (result !== undefined) {
    say({ toolResult: result.text });
    return "Done.";
  }
  const all = JSON.stringify(call.body.messages.slice(-1));
  if (all.includes("Make a folder")) return toolUse("Bash", { command: "mkdir a-folder" });
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ");
  return reply([text(words)], { chunks: 200, chunkDelayMs: 5 });
}
