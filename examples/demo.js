// The real Claude Code CLI answers through hawser, with no account: what it takes for Anthropic's
// API is a simulated model on this machine, scripted below. Run it with `npm run demo`.
import {
  checkCli,
  complete,
  createPool,
  isHawserError,
  openSession,
  processes,
  shutdown,
  stream,
} from "hawser";
import { apiError, isolatedEnv, reply, SimulatedModel, toolUse } from "hawser/testing";

const model = await SimulatedModel.start({
  replies: [
    "A hawser is a thick rope for mooring or towing a ship.",
    reply("Over, under, and through its own eye.", { chunks: 12, chunkDelayMs: 40 }),
    toolUse("StructuredOutput", { name: "bowline", strength: "rather good" }),
    toolUse("StructuredOutput", { name: "bowline", strength: 0.65 }),
    toolUse("Bash", { command: "uname -s", description: "Ask the system for its name" }),
    (call) => `This machine runs ${call.toolResults[0]?.text.trim()}.`,
    toolUse("Write", { file_path: "knot.txt", content: "bowline" }),
    "I wrote it down.",
    "A bowline.",
    "It makes a loop that does not slip.",
    "It joins two ropes.",
    "It holds to a post.",
    "It keeps a rope from running out.",
    apiError(401, { message: "invalid x-api-key" }),
  ],
});
const world = await isolatedEnv({ baseUrl: model.url, extra: { CLAUDE_CODE_MAX_RETRIES: "0" } });
const options = { env: world.env, inheritEnv: false, cwd: world.cwd };

const cli = await checkCli();
say(`Claude Code ${cli.version} from ${cli.source}, a simulated model at ${model.url}`);

heading("One prompt, one answer");
const first = await ask("What is a hawser?", options);
say(
  `${first.model} · ${first.usage.output_tokens} tokens · $${first.costUsd.toFixed(5)} · ${facts(first)}`,
);

heading("The text as it comes");
const call = stream("How is a bowline tied?", options);
process.stdout.write("  > How is a bowline tied?\n  < ");
for await (const piece of call.textStream) process.stdout.write(piece);
process.stdout.write("\n");
say(`the first word after ${Math.round((await call.completion).timing.firstTokenMs)} ms`);

heading("A typed answer: what does not fit the schema goes back to the model");
const { value } = await complete("How strong is it?", {
  ...options,
  schema: {
    type: "object",
    properties: { name: { type: "string" }, strength: { type: "number", maximum: 1 } },
    required: ["name", "strength"],
  },
});
say(`the ${value.name} keeps ${value.strength * 100} % of its rope's strength`);

heading("A tool, switched on by its name");
await ask("Which system is this?", {
  ...options,
  tools: ["Bash"],
  allowedTools: ["Bash(uname *)"],
});

heading(
  "A conversation: live text, a tool that must be approved, the same process for the next turn",
);
const session = await openSession({
  ...options,
  canUseTool: async (tool, input) => {
    say(`may it ${tool} ${input.file_path}? yes`);
    return { behavior: "allow" };
  },
});
for (const prompt of ["Write down a good knot.", "Which one was it?"]) {
  console.log(`  > ${prompt}`);
  const turn = session.send(prompt);
  let text = "";
  for await (const piece of turn.textStream) text += piece;
  console.log(`  < ${text}`);
}
say(`process ${session.pid}, session ${session.id}`);
await session.close();

heading("A pool: whoever comes next finds a process that is ready");
const pool = createPool();
for (const knot of ["bowline", "sheet bend", "clove hitch", "figure eight"]) {
  const { text, timing } = await pool.complete(`What is a ${knot} for?`, options);
  say(`${knot}: ${text} · ${facts({ timing })}`);
}
const { cold, warm } = pool.stats().calls;
say(`${cold} cold, ${warm} warm: a process answers again when its conversation was reset`);
await pool.close();

heading("A failure says what happened, and what to do");
try {
  await ask("And now with a bad key?", options);
} catch (error) {
  if (!isHawserError(error)) throw error;
  say(`${error.code} (HTTP ${error.apiStatus}): ${error.message}`);
  say(`hint: ${error.hint}`);
}

heading("Nothing is left behind");
await shutdown();
say(`${processes().length} processes alive after ${model.calls.length} calls to the model`);

await world.dispose();
await model.close();

async function ask(prompt, options) {
  console.log(`  > ${prompt}`);
  const completion = await complete(prompt, options);
  console.log(`  < ${completion.text}`);
  return completion;
}

function facts({ timing }) {
  return `start ${Math.round(timing.bootMs)} ms, answer after ${Math.round(timing.totalMs)} ms`;
}

function heading(text) {
  console.log(`\n${text}`);
}

function say(text) {
  console.log(`    ${text}`);
}
