// A ToolLoopAgent of the AI SDK on the CLI's agent: the CLI reads files with its own tools, and calls a
// tool of this program. Shows `hawser.agent()` with `tools`.
//
//   npm install hawser @hawser/ai-sdk ai zod
//   node examples/ai-sdk-tool-loop.js "Which of our packages is outdated?"
//
// The agent may only read. Other calls need an approval, which this program never gives.
import { createHawser } from "@hawser/ai-sdk";
import { isStepCount, ToolLoopAgent, tool } from "ai";
import { z } from "zod";

const hawser = createHawser();

const newestVersion = tool({
  description: "The newest version of a package on the npm registry.",
  inputSchema: z.object({ name: z.string().describe("The name of the package.") }),
  execute: async ({ name }) => {
    const registry = process.env.REGISTRY ?? "https://registry.npmjs.org";
    const response = await fetch(`${registry}/${encodeURIComponent(name)}/latest`);
    if (!response.ok) throw new Error(`The registry answered ${response.status}.`);
    const { version } = /** @type {{ version: string }} */ (await response.json());
    return version;
  },
});

const agent = new ToolLoopAgent({
  model: hawser.agent("sonnet", { cwd: process.cwd(), allowedTools: ["Read", "Grep", "Glob"] }),
  instructions: "Answer in one sentence.",
  tools: { newestVersion },
  stopWhen: isStepCount(20),
});

try {
  const { stream } = await agent.stream({
    prompt: process.argv[2] ?? "Which of our packages is outdated?",
  });
  for await (const part of stream) {
    if (part.type === "tool-call")
      console.error(`· ${part.toolName} ${JSON.stringify(part.input)}`);
    if (part.type === "tool-approval-request") {
      console.error(`refused: ${part.toolCall.toolName}`);
      process.exitCode = 1;
    }
    if (part.type === "text-delta") process.stdout.write(part.text);
    if (part.type === "error") throw part.error;
  }
  process.stdout.write("\n");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  // Also ends a turn that waits for an approval.
  await hawser.close();
}
