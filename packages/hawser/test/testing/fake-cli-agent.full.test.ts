import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { complete, createSdkMcpServer, openSession, query, tool } from "../../src/index.js";
import {
  type FakeCli,
  fakeCli,
  type RecordedProcess,
  type Scenario,
} from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";

/** The turns of the fake. Everything else is the program under test. */
const WEATHER: Scenario["steps"] = [
  {
    on: "user",
    do: [
      {
        turn: [
          "Let me look.",
          { tool: "mcp__weather__forecast", input: { city: "Oslo" } },
          { tool: "Bash", input: { command: "rm -rf notes" } },
          { tool: "Write", input: { file_path: "today.txt", content: "rain" } },
          "It will rain in Oslo.",
        ],
      },
    ],
  },
];

async function fake(steps: Scenario["steps"]): Promise<FakeCli> {
  const cli = await fakeCli({ steps: steps ?? [] });
  onTestFinished(() => cli.dispose());
  return cli;
}

/** An agent as a user would write it, which records its callbacks. */
function agent() {
  const seen: string[] = [];
  const forecast = tool("forecast", "The weather of a city", { city: z.string() }, ({ city }) => {
    seen.push(`forecast ${city}`);
    return Promise.resolve({ content: [{ type: "text", text: `rain in ${city}` }] });
  });
  const options = {
    mcpServers: { weather: createSdkMcpServer({ name: "weather", tools: [forecast] }) },
    allowedTools: ["mcp__weather__forecast"],
    canUseTool: (name: string, input: Record<string, unknown>) => {
      seen.push(`asked for ${name}`);
      const updatedInput = { ...input, file_path: "elsewhere.txt" };
      return Promise.resolve({ behavior: "allow" as const, updatedInput });
    },
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            () => {
              seen.push("guard");
              const hookSpecificOutput = {
                hookEventName: "PreToolUse" as const,
                permissionDecision: "deny" as const,
                permissionDecisionReason: "nothing is removed",
              };
              return Promise.resolve({ hookSpecificOutput });
            },
          ],
        },
      ],
      UserPromptSubmit: [{ hooks: [noted("submit")] }],
      Stop: [{ hooks: [noted("stop")] }],
    },
  };
  function noted(event: string) {
    return () => {
      seen.push(event);
      return Promise.resolve({});
    };
  }
  return { options, seen };
}

const SEEN = ["submit", "forecast Oslo", "guard", "asked for Write", "stop"];

it("fakeCli() runs openSession() with canUseTool, hooks and an MCP tool", async () => {
  const cli = await fake(WEATHER);
  const { options, seen } = agent();
  await using session = await openSession({
    cliPath: cli.path,
    includePartialMessages: true,
    disallowedTools: ["WebSearch"],
    ...options,
  });
  const turn = session.send("What is the weather in Oslo?");
  let text = "";
  for await (const piece of turn.textStream) text += piece;
  const result = await turn.result;

  expect(seen).toEqual(SEEN);
  expect(text).toContain("It will rain in Oslo.");
  expect(result).toMatchObject({ subtype: "success", result: "It will rain in Oslo." });
  expect(result.permission_denials).toMatchObject([{ tool_name: "Bash" }]);
  expect(await session.mcpServerStatus()).toMatchObject([{ name: "weather", status: "connected" }]);
});

it("fakeCli() runs query(), with the tool results of the program", async () => {
  const cli = await fake(WEATHER);
  const { options, seen } = agent();
  const results: unknown[] = [];
  const run = query({ prompt: "Weather?", options: { cliPath: cli.path, ...options } });
  for await (const message of run) {
    if (message.type === "user") results.push((message.message.content as object[])[0]);
  }
  expect(seen).toEqual(SEEN);
  expect(results).toMatchObject([
    { content: [{ type: "text", text: "rain in Oslo" }] },
    { content: "PreToolUse:Bash hook error: nothing is removed", is_error: true },
    { content: 'Write ran with {"file_path":"elsewhere.txt","content":"rain"}' },
  ]);
});

it("fakeCli() returns a structured value for a schema", async () => {
  const cli = await fake([
    { on: "user", do: [{ turn: [{ value: { city: "Oslo", degrees: 7 } }] }] },
  ]);
  const schema = z.object({ city: z.string(), degrees: z.number() });
  const { value } = await complete("Weather?", { cliPath: cli.path, schema });
  expect(value).toEqual({ city: "Oslo", degrees: 7 });
});

it("fakeCli() applies setModel() and setPermissionMode(), and an interrupt ends the turn", async () => {
  const cli = await fake([{ on: "user", do: [{ turn: ["Well,", { sleep: 600_000 }] }] }]);
  await using session = await openSession({
    cliPath: cli.path,
    settings: { permissions: { deny: ["Bash(rm *)"] } },
  });
  await session.setModel("other");
  await session.setPermissionMode("plan");
  const turn = session.send("Go.");
  for await (const message of turn) {
    if (message.type === "assistant") await session.interrupt();
    if (message.type !== "system" || message.subtype !== "init") continue;
    expect(message).toMatchObject({ model: "other", permissionMode: "plan" });
  }
  expect(await turn.result).toMatchObject({ terminal_reason: "aborted_streaming" });
  expect((await session.send("And now?").result).result).toBe("ok");
});

it("fakeCli() starts a turn by itself after a background task", async () => {
  const background = { description: "the long way", ms: 20, next: ["I am back."] };
  const cli = await fake([{ on: "user", do: [{ turn: ["Off I go.", { background }] }] }]);
  await using session = await openSession({ cliPath: cli.path });
  const results: unknown[] = [];
  session.send("Go.");
  for await (const message of session) {
    if (message.type !== "result") continue;
    results.push(message.result);
    if (results.length === 2) break;
  }
  expect(results).toEqual(["Off I go.", "I am back."]);
});

it("fakeCli() records the arguments and lines of the program", async () => {
  const cli = await fake([]);
  await complete("What is a hawser?", { cliPath: cli.path });
  const [process] = (await startsOf(cli)) as [RecordedProcess];
  expect(process.lines.at(-1)).toContain("What is a hawser?");
  expect(process.argv).toContain("--verbose");
});
