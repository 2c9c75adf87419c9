// The same program with the official SDK.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { obey } from "../../packages/hawser/test/host-death/ending.js";

const { ending, options } = JSON.parse(process.argv[2]);
obey(ending);

const { cliPath, ...rest } = options;
const given = { ...rest, pathToClaudeCodeExecutable: cliPath, allowedTools: ["Bash"] };
for await (const _ of query({ prompt: "go", options: given }));
