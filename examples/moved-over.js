// A program for the official Agent SDK in which only the import was changed. Shows `query()`.
//
//   node moved-over.js "Draft release notes." "Draft a blog post on them."
//
// The program sends tasks to one conversation, each after the previous one is done. A callback
// decides which files the model may write, and a hook prints each written file. Ctrl-C interrupts
// the running task and continues with the next one.
import { relative, resolve } from "node:path";
import { query } from "hawser"; // was "@anthropic-ai/claude-agent-sdk"

const tasks = process.argv.slice(2);
const drafts = resolve("drafts");
/** @type {() => void} */
let isDone = () => {};

async function* input() {
  for (const task of tasks) {
    const done = new Promise((resolve) => {
      isDone = () => resolve(undefined);
    });
    yield {
      type: /** @type {const} */ ("user"),
      message: { role: /** @type {const} */ ("user"), content: task },
      parent_tool_use_id: null,
    };
    await done;
  }
}

const conversation = query({
  prompt: input(),
  options: {
    systemPrompt: { type: "preset", preset: "claude_code", append: "Write drafts into ./drafts." },
    settingSources: ["project"],
    canUseTool: async (tool, input) =>
      tool === "Write" && isDraft(String(input.file_path))
        ? { behavior: "allow", updatedInput: input }
        : { behavior: "deny", message: "Only files in ./drafts are written here." },
    hooks: {
      PostToolUse: [
        {
          matcher: "Write",
          hooks: [
            async (input) => {
              if (input.hook_event_name !== "PostToolUse") return {};
              const { file_path } = /** @type {{ file_path: string }} */ (input.tool_input);
              console.error(`wrote ${relative(".", file_path)}`);
              return {};
            },
          ],
        },
      ],
    },
  },
});

process.on("SIGINT", () => conversation.interrupt().catch(console.error));

for await (const message of conversation) {
  if (message.type !== "result") continue;
  console.log(message.subtype === "success" ? message.result : `(${message.subtype})`);
  if (message.is_error) process.exitCode = 1;
  for (const { tool_name } of message.permission_denials) console.error(`refused ${tool_name}`);
  isDone();
}

/** @param {string} path */
function isDraft(path) {
  const inside = relative(drafts, resolve(path));
  return inside !== "" && !inside.startsWith("..");
}
