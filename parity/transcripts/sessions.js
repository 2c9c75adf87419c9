// Lets the real CLI write transcripts: tools, several at once, sub-agents, /clear, /compact, forks,
// a conversation that goes back to an earlier message, and a session that a store mirrors.
import { query } from "@anthropic-ai/claude-agent-sdk";

export function replies({ text, toolUse }) {
  const bash = (command) => toolUse("Bash", { command, description: "say something" });
  return ({ prompt, toolResults }) => {
    if (toolResults.length > 0) return "Done with the tool.";
    if (prompt.includes("SUBTASK")) return "The sub-agent's answer.";
    if (prompt.includes("use an agent")) {
      const input = { description: "sub", prompt: "SUBTASK", subagent_type: "general-purpose" };
      return [text("I delegate."), toolUse("Agent", input)];
    }
    if (prompt.includes("use two tools")) return [text("Both."), bash("echo a"), bash("echo b")];
    if (prompt.includes("use a tool")) return [bash("echo hi")];
    return "A plain answer.";
  };
}

/** The ids of the sessions by name, and the ids of messages that cases need. */
export async function writeSessions(cli, world) {
  const play = player(cli, world);
  const [tools] = await play([
    "Hello there.",
    "use a tool",
    "use two tools",
    "Last\nprompt <b>x</b>",
  ]);
  const [agent] = await play(["use an agent"]);
  const [before, after] = await play(["The first life.", "/clear", "The second life."]);
  const [compacted] = await play(["Before.", "Much was said.", "/compact", "After."]);
  const [forked] = await play(["In the fork."], { resume: tools, forkSession: true });
  const [named] = await play(["With a title."], { title: "A title from the start" });
  const [image] = await play([[{ type: "image", source: PIXEL }]]);
  return { tools, agent, before, after, compacted, forked, named, image };
}

/** Sends all prompts, one after the other. Returns the session ids that were seen. */
export function player(cli, world) {
  return async (contents, options = {}) => {
    const ids = new Set();
    /** @type {(value?: unknown) => void} */
    let answered = () => {};
    /** @returns {AsyncGenerator<import("@anthropic-ai/claude-agent-sdk").SDKUserMessage>} */
    async function* prompts() {
      for (const content of contents) {
        const next = new Promise((resolve) => {
          answered = resolve;
        });
        yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
        await next;
      }
    }
    const messages = query({
      prompt: prompts(),
      options: {
        pathToClaudeCodeExecutable: cli,
        cwd: world.cwd,
        env: world.env,
        allowedTools: ["Bash", "Agent", "Task"],
        settingSources: ["user"],
        ...options,
      },
    });
    for await (const message of messages) {
      if (message.session_id) ids.add(message.session_id);
      if (message.type === "result") answered();
    }
    return [...ids];
  };
}

const PIXEL = {
  type: "base64",
  media_type: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};
