// A chat in the terminal whose conversation is in a database. It goes on after Ctrl-C, kill -9 or on
// another machine: messages are answered once, in their order, by whichever program has a worker.
//
//   node fleet-terminal-chat.js             a Postgres of its own in .hawser/fleet, the default account
//   node fleet-terminal-chat.js --offline   a simulated model: no account, no network
//   DATABASE_URL=postgres://... node fleet-terminal-chat.js
//
// Messages can be typed while another one is answered. Commands: /allow and /deny answer the oldest
// question of the agent, /search WORDS, /history, /cost, /close (writes a summary), and Ctrl-D ends.
import { userInfo } from "node:os";
import { createInterface } from "node:readline";
import { openFleet } from "@hawser/fleet";
import { isHawserError } from "hawser";

const user = process.env.CHAT_USER ?? userInfo().username;
const world = process.argv.includes("--offline")
  ? await (await import("hawser/testing")).offlineWorld()
  : undefined;
const database = process.env.DATABASE_URL ?? { folder: ".hawser/fleet" };
const fleet = await openFleet({ database });
const chat = fleet.conversation({ channel: "terminal", user, project: process.cwd() });
const worker = await fleet.work({
  profiles: { default: { ...world?.options, tools: ["Read", "Grep", "Bash"] } },
  workspace: async () => ({ cwd: process.cwd() }),
});

const left = new AbortController();
const questions = tellQuestions();
/** The answers are shown one after the other, in the order of the messages. */
let shown = Promise.resolve();
for await (const line of createInterface({ input: process.stdin })) {
  try {
    await take(line.trim());
  } catch (error) {
    tellFailure(error);
  }
}
await shown;
left.abort();
await questions;
await worker.drain();
await fleet.close();
await world?.dispose();

/** @param {string} line */
async function take(line) {
  const [command = "", ...words] = line.split(" ");
  if (command === "") return;
  if (command === "/allow") return decide({ behavior: "allow" });
  if (command === "/deny") return decide({ behavior: "deny" });
  if (command === "/search") return tellAll(await chat.search(words.join(" ")));
  if (command === "/history") return tellAll(await chat.history({ limit: 20 }));
  if (command === "/close") {
    await shown;
    return console.log(`(closed: ${(await chat.close()) ?? "there was nothing to close"})`);
  }
  if (command === "/cost") {
    const { costUsd, runs } = await chat.usage();
    return console.log(`(${runs} answers today, ${costUsd.toFixed(4)} USD)`);
  }
  const run = await chat.send(line);
  shown = shown.then(() => show(run)).catch(tellFailure);
}

/**
 * Shows the progress of an answer. The events are stored, so that nothing is missed while another
 * answer is shown.
 * @param {import("@hawser/fleet").Run} run
 */
async function show(run) {
  let isWritten = false;
  for await (const event of run.events()) {
    if (event.type === "text") {
      process.stdout.write(event.text);
      isWritten = true;
    } else if (event.type === "tool") {
      console.log(`(${event.tool} ${JSON.stringify(event.input)})`);
    }
  }
  const { text } = await run.result();
  console.log(isWritten ? "" : text);
}

/** Shows the questions of the agent, whichever worker asks them. */
async function tellQuestions() {
  for await (const change of fleet.approvals.watch({ tenant: user, signal: left.signal })) {
    if (change.type === "asked")
      console.log(`(may I? ${change.approval.summary}: /allow or /deny)`);
  }
}

/** @param {import("hawser").ApprovalDecision} decision */
async function decide(decision) {
  const [oldest] = await fleet.approvals.pending({ tenant: user });
  if (oldest === undefined) return console.log("(there is no question)");
  await fleet.approvals.answer(oldest.id, decision, { by: user });
}

/** @param {import("@hawser/fleet").ConversationMessage[]} messages */
function tellAll(messages) {
  for (const { at, role, text } of messages) console.log(`${at.toISOString()} ${role}: ${text}`);
}

/** @param {unknown} error */
function tellFailure(error) {
  if (!isHawserError(error)) throw error;
  console.error(`(${error.code}: ${error.message} ${error.hint})`);
}
