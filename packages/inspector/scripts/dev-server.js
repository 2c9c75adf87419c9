// A program with sessions, questions and failures to look at, for work on the page: no account, no network.
//   node packages/inspector/scripts/dev-server.js [--port n] [--page folder] [--quiet]
// It prints the address. Prompts that the simulated model knows are in PROMPTS below; send them from the page.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApprovals, createPool, isHawserError, openSession } from "hawser";
import { apiError, offlineWorld, reply, text, thinking, toolUse } from "hawser/testing";
import { PageFiles } from "../dist/files/page-files.js";
import { createInspector } from "../dist/inspector.js";

const { values: flags } = parseArgs({
  options: { port: { type: "string" }, page: { type: "string" }, quiet: { type: "boolean" } },
});

/** What the model does for each prompt: a list of replies, one for each request of the turn. */
const PROMPTS = {
  "write a file": [
    [
      thinking("The user wants a file. I write it."),
      text("I write the file **knots.md**."),
      toolUse("Write", {
        file_path: "knots.md",
        content: "# Knots\n\n- bowline\n- sheet bend\n- clove hitch\n",
      }),
    ],
    reply("Done. The file has *three* knots:\n\n1. bowline\n2. sheet bend\n3. `clove hitch`"),
  ],
  "edit a file": [
    toolUse("Read", { file_path: "rope.js" }),
    [
      text("I change the length."),
      toolUse("Edit", {
        file_path: "rope.js",
        old_string: "const LENGTH = 10;",
        new_string: "const LENGTH = 25;\nconst WIDTH = 3;",
      }),
    ],
    "The rope is longer now.",
  ],
  "run a command": [
    toolUse("Bash", {
      command: "for i in 1 2 3 4 5 6 7 8 9 10; do echo step $i; sleep 1; done",
      description: "Count to ten",
    }),
    "It counted to ten.",
  ],
  delegate: [
    [
      text("Two agents work on it."),
      toolUse("Agent", agent("Look for knots", "sub: look")),
      toolUse("Agent", agent("Count the ropes", "sub: count")),
    ],
    "Both agents are done.",
  ],
  "sub: look": [toolUse("Read", { file_path: "rope.js" }), "I found a rope."],
  "sub: count": [
    toolUse("Bash", { command: "sleep 3; ls | wc -l", description: "Count files" }),
    "There are a few.",
  ],
  "tell a long story": [
    reply([thinking("A story about ropes. ".repeat(40)), text(story())], {
      chunks: 600,
      chunkDelayMs: 30,
      usage: { input_tokens: 1200, output_tokens: 2400 },
    }),
  ],
  "ask me": [
    toolUse("AskUserQuestion", {
      questions: [
        {
          question: "Which knot do you want?",
          header: "Knot",
          multiSelect: false,
          options: [
            { label: "Bowline", description: "A loop that does not slip" },
            { label: "Sheet bend", description: "Joins two ropes" },
          ],
        },
      ],
    }),
    "A good choice.",
  ],
  fail: [apiError(400, { type: "invalid_request_error", message: "The rope is too short." })],
};

function agent(description, prompt) {
  return { description, prompt, subagent_type: "general-purpose", run_in_background: false };
}

function story() {
  const part =
    "The crew pulled the hawser tight, and the ship came slowly to rest.\n\n```js\nconst rope = tie(ship, bollard);\n```\n\n| knot | use |\n|---|---|\n| bowline | loop |\n| sheet bend | two ropes |\n\n";
  return `# A story about ropes\n\n${part.repeat(30)}`;
}

/** The reply to a request: the prompt that it belongs to, and how often the model has answered since. */
function answer(call) {
  const { messages } = call.body;
  const isPrompt = ({ role, content }) => role === "user" && textOf(content) !== "";
  const at = messages.findLastIndex(isPrompt);
  const prompt = textOf(messages[at]?.content);
  const known = Object.keys(PROMPTS).find((name) => prompt.toLowerCase().includes(name));
  const answered = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const script = known === undefined ? [`You said: ${prompt}`] : PROMPTS[known];
  return script[answered] ?? "That is all.";
}

function textOf(content) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = blocks.filter(({ type }) => type === "text").map((block) => block.text);
  return texts
    .filter((each) => !/^\s*<system-reminder>/.test(each))
    .join("\n")
    .trim();
}

const world = await offlineWorld({ replies: answer });
const cwd = mkdtempSync(join(tmpdir(), "hawser-inspector-dev-"));
writeFileSync(join(cwd, "rope.js"), "// A rope.\nconst LENGTH = 10;\nexport { LENGTH };\n");

const approvals = createApprovals();
const pool = createPool({ size: { min: 0, max: 4 } });
const configDir = world.options.env.CLAUDE_CONFIG_DIR;
const page = createInspector(
  {
    source: pool,
    approvals,
    name: "dev-server",
    transcripts: { configDir },
    agents: { helper: { ...world.options, cwd, description: "An agent that the page can open" } },
  },
  new PageFiles(flags.page),
);
const url = await page.listen({ port: Number(flags.port ?? 0) });
// The page does not keep the program running.
const running = setInterval(() => {}, 60_000);
const base = new URL(url).origin;
console.log(url);
console.log(`read only: ${base}/#token=${page.readToken}`);
console.log(`prompts: ${Object.keys(PROMPTS).join(" | ")}`);

const sessions = [];
for (const model of ["sonnet", "haiku"]) {
  const { canUseTool, onElicitation } = approvals;
  sessions.push(await openSession({ ...world.options, cwd, model, canUseTool, onElicitation }));
}
if (!flags.quiet) {
  const [first, second] = sessions;
  const send = (session, prompt) => session.send(prompt).text().catch(report);
  send(first, "Please write a file.");
  send(second, "Please delegate.").then(() => send(second, "Please fail."));
  send(second, "Please tell a long story.");
  pool.complete("What is a hawser?", world.options).catch(report);
}

function report(error) {
  console.error(isHawserError(error) ? `${error.code}: ${error.message}` : error);
}

async function end() {
  clearInterval(running);
  await page.close();
  await Promise.all(sessions.map((session) => session.close()));
  await pool.close();
  await world.dispose().catch(() => {});
  rmSync(cwd, { recursive: true, force: true });
  process.exit(0);
}
process.once("SIGINT", end);
process.once("SIGTERM", end);
