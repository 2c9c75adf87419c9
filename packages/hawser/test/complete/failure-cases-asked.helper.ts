import { always, reply, toolUse } from "../../src/testing/index.js";
import { attempting, type Cause } from "./failure-cases.helper.js";

const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const USAGE = { input_tokens: 1000, output_tokens: 500 };
const BASH = { tools: ["Bash"], allowedTools: ["Bash"] };

const echo = () => toolUse("Bash", { command: "echo x", description: "d" });

/** The message of the CLI. The newest CLI names the wrong file. */
function noServer(named: string): string {
  return `ENOENT: no such file or directory, posix_spawn '${named}'`;
}

/** Calls that do not get what their options ask for. */
export const NOT_AS_ASKED: readonly Cause[] = [
  {
    cause: "An MCP server that `requireMcp` requires does not start",
    attempt: attempting({
      options: { mcpServers: { broken: { command: "/no/such/server" } }, requireMcp: true },
    }),
    becomes: {
      code: "mcp_failed",
      message: /broken \(failed: ENOENT/,
      resumable: false,
      issues: [{ path: "mcpServers.broken", message: noServer("stdio") }],
    },
    onOlder: {
      code: "mcp_failed",
      message: /broken \(failed: ENOENT/,
      resumable: false,
      issues: [{ path: "mcpServers.broken", message: noServer("/no/such/server") }],
    },
    mostCalls: 0,
  },
  {
    cause: "A call with `schema`: the model answers in words only",
    attempt: attempting({
      replies: always("In words."),
      options: { schema: SCHEMA, maxRepairs: 1 },
    }),
    becomes: {
      code: "structured_output",
      message: /gave no value/,
      resumable: false,
      partialText: "In words.",
      issues: [{ message: "is missing: the model answered with text only" }],
    },
    mostCalls: 5,
  },
  {
    cause: "A call with `schema`: no value of the model fits",
    attempt: attempting({
      replies: always(toolUse("StructuredOutput", { n: "one" })),
      options: { schema: SCHEMA, maxRepairs: 1 },
    }),
    becomes: {
      code: "structured_output",
      message: /value does not fit the schema/,
      resumable: false,
      partialText: '{"n":"one"}',
      issues: [{ path: "n", message: "must be an integer, not a string" }],
    },
    // The CLI asks the model five times, and hawser prompts the CLI once more.
    mostCalls: 10,
  },
  {
    cause: "A call with `schema`: `maxTurns` is reached before the value",
    attempt: attempting({
      replies: always(() => ["Still at it. ", echo()]),
      options: { ...BASH, schema: SCHEMA, maxTurns: 2 },
    }),
    becomes: {
      code: "max_turns",
      message: /reached `maxTurns`/,
      resumable: false,
      partialText: "Still at it. Still at it. ",
    },
  },
  {
    cause: "A call with `schema`: `maxBudgetUsd` is spent before the value",
    attempt: attempting({
      replies: always(() => reply(["Still at it. ", echo()], { usage: USAGE })),
      options: { ...BASH, schema: SCHEMA, maxBudgetUsd: 0.001, model: "claude-sonnet-4-5" },
    }),
    becomes: {
      code: "max_budget",
      message: /reached `maxBudgetUsd`/,
      resumable: false,
      partialText: "Still at it. ",
    },
  },
  {
    cause: "A call without `schema`: `maxTurns` is reached",
    attempt: attempting({
      replies: always(() => ["Still at it. ", echo()]),
      options: { ...BASH, maxTurns: 2 },
    }),
    becomes: { text: "Still at it. Still at it. ", stop: "max_turns" },
  },
  {
    cause: "A call without `schema`: `maxBudgetUsd` is spent",
    attempt: attempting({
      replies: always(() => reply(["Still at it. ", echo()], { usage: USAGE })),
      options: { ...BASH, maxBudgetUsd: 0.001, model: "claude-sonnet-4-5" },
    }),
    becomes: { text: "Still at it. ", stop: "max_budget" },
  },
];
