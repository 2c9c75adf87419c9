// Gives an agent a long task in the current folder, with limits. Shows `preset: "agent"` and
// `resume`.
//
//   node long-task.js "Bring the README up to date." --budget 0.50
//   node long-task.js --resume <session> "Go on, but leave the table as it is."
//
// The agent edits files and runs the tests, and continues by itself after `maxTurns`. Ctrl-C
// interrupts it and prints the command that continues the task later.
import { parseArgs } from "node:util";
import { ERROR_CODES, isHawserError, isMessage, stream } from "hawser";

const { values, positionals } = parseArgs({
  options: { resume: { type: "string" }, budget: { type: "string", default: "2" } },
  allowPositionals: true,
});
const [task = "Go on where you stopped."] = positionals;

// The first Ctrl-C stops the call. The second Ctrl-C ends this program and the CLI.
const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());

try {
  const work = stream(task, {
    preset: "agent",
    permissionMode: "acceptEdits",
    allowedTools: ["Bash(npm test)", "Bash(git diff *)", "Bash(git log *)"],
    maxTurns: 20,
    autoResume: 5,
    maxBudgetUsd: Number(values.budget),
    timeouts: { totalMs: 3_600_000 },
    signal: interrupted.signal,
    ...(values.resume === undefined ? {} : { resume: values.resume }),
  });
  for await (const message of work) if (isMessage(message, "assistant")) show(message);
  const { text, stop, turns, costUsd, sessionId, permissionDenials } = await work.completion;

  console.log(text);
  for (const { tool_name } of permissionDenials) console.error(`refused: ${tool_name}`);
  console.error(`${stop} after ${turns} turns, $${costUsd?.toFixed(4) ?? "?"}`);
  if (stop !== "completed") {
    howToGoOn(sessionId);
    process.exitCode = 1;
  }
} catch (error) {
  if (!isHawserError(error)) throw error;
  console.error(error.code === "aborted" ? "Interrupted." : `${error.code}: ${error.message}`);
  if (error.resumable) howToGoOn(error.sessionId);
  else if (error.code !== "aborted") console.error(error.hint);
  process.exitCode = ERROR_CODES[error.code].exitCode;
}

/** @param {import("hawser").AssistantMessage} message */
function show({ message }) {
  for (const block of message.content) {
    if (block.type !== "tool_use") continue;
    const { file_path, command, pattern } = /** @type {Record<string, string>} */ (block.input);
    console.error(`· ${block.name} ${file_path ?? command ?? pattern ?? ""}`);
  }
}

/** @param {string | undefined} sessionId */
function howToGoOn(sessionId) {
  console.error(`To go on: node long-task.js --resume ${sessionId}`);
}
