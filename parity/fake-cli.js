// Runs the official SDK on the fake CLI: a permission callback, a hook and a tool in the host, without an
// installed CLI. Exits with 1 if anything differs from the script.
import { deepStrictEqual as same } from "node:assert";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { fakeCli } from "hawser/testing";
import { z } from "zod";

const cli = await fakeCli({
  states: true,
  steps: [
    {
      on: "user",
      do: [
        {
          turn: [
            { tool: "mcp__weather__forecast", input: { city: "Oslo" } },
            { tool: "Bash", input: { command: "rm -rf notes" } },
            { tool: "Write", input: { file_path: "today.txt", content: "rain" } },
            "It will rain.",
          ],
        },
      ],
    },
    { on: "user", do: [{ turn: [{ value: { degrees: 7 } }] }] },
  ],
});

try {
  await agent();
  await value();
  await controls();
  console.log("The official SDK runs on the fake CLI.");
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cli.dispose();
}

async function agent() {
  const seen = [];
  const forecast = tool("forecast", "The weather", { city: z.string() }, async ({ city }) => {
    seen.push(`forecast ${city}`);
    return { content: [{ type: "text", text: `rain in ${city}` }] };
  });
  const deny = async ({ tool_name }) => {
    seen.push(`guard ${tool_name}`);
    const permissionDecision = "deny";
    const permissionDecisionReason = "nothing is removed";
    const hookEventName = "PreToolUse";
    return {
      hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason },
    };
  };
  const { messages, results } = await run({
    prompt: "Weather?",
    options: {
      includePartialMessages: true,
      mcpServers: { weather: createSdkMcpServer({ name: "weather", tools: [forecast] }) },
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [deny] }] },
      canUseTool: async (name, input) => {
        seen.push(`asked for ${name}`);
        return { behavior: "allow", updatedInput: { ...input, content: "sun" } };
      },
    },
  });
  same(seen, [
    "asked for mcp__weather__forecast",
    "forecast Oslo",
    "guard Bash",
    "asked for Write",
  ]);
  const contents = messages
    .filter(({ type }) => type === "user")
    .map(({ message }) => message.content[0].content);
  same(contents, [
    [{ type: "text", text: "rain in Oslo" }],
    "PreToolUse:Bash hook error: nothing is removed",
    'Write ran with {"file_path":"today.txt","content":"sun"}',
  ]);
  same(
    results.map(({ result, permission_denials }) => [result, permission_denials.length]),
    [["It will rain.", 1]],
  );
  const pieces = messages.flatMap(({ event }) => event?.delta?.text ?? []);
  same(pieces.join(""), "It will rain.");
}

async function value() {
  const schema = { type: "object", properties: { degrees: { type: "number" } } };
  const { results } = await run({
    prompt: two(),
    options: { outputFormat: { type: "json_schema", schema } },
  });
  same(results.at(-1).structured_output, { degrees: 7 });
}

/** The second prompt of a process gets the second step. */
async function* two() {
  for (const content of ["one", "two"]) {
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
  }
}

async function controls() {
  const session = query({ prompt: open(), options: { pathToClaudeCodeExecutable: cli.path } });
  await session.setModel("other");
  await session.setPermissionMode("acceptEdits");
  same(await session.mcpServerStatus(), []);
  session.close();
}

async function* open() {
  await new Promise(() => {});
}

async function run({ prompt, options }) {
  /** @type {any[]} */
  const messages = [];
  const own = { pathToClaudeCodeExecutable: cli.path, ...options };
  for await (const message of query({ prompt, options: own })) messages.push(message);
  return { messages, results: messages.filter(({ type }) => type === "result") };
}
