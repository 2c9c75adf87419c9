import { describe, expect, it } from "vitest";
import { explain } from "../../src/options/index.js";
import { HOST, NEWEST } from "./facts.helper.js";

describe("explain()", () => {
  it("masks the variables of unusual names and what is in the arguments of MCP servers", () => {
    const env = {
      ANTHROPIC_CUSTOM_HEADERS: "X-Team: canary-1",
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=canary-2",
      MYSQL_PWD: "canary-3",
      GITHUB_PAT: "canary-4",
      // The same secrets once more, under a name that tells nothing.
      NOTE: "canary-1 canary-2 canary-3 canary-4 canary-5 canary-6",
    };
    const args = ["--token=canary-5", "--api-key", "canary-6"];
    const options = { env, mcpServers: { a: { command: "node", args } } };
    const text = explain(options, NEWEST, HOST);
    expect(text).toContain("NOTE=*** *** *** *** *** ***");
    expect(text).not.toContain("canary");
  });

  it("returns the command that would be started, without secrets", () => {
    const text = explain(
      {
        model: "sonnet",
        systemPrompt: "x".repeat(300),
        allowedTools: ["Bash(git log *)"],
        mcpServers: { a: { command: "node", env: { K: "canary-a" } } },
        apiKey: "canary-key",
        env: { DB_PASSWORD: "canary-b" },
        cwd: "/work",
        executableArgs: ["--smol"],
      },
      NEWEST,
      { ...HOST, env: { ...HOST.env, NODE_OPTIONS: "--inspect" } },
    );
    expect(text).toBe(`command
  /usr/bin/claude
  --output-format
  stream-json
  --verbose
  --input-format
  stream-json
  --model=sonnet
  --permission-mode=default
  --mcp-config
  /tmp/hawser-1/mcp.json
  --strict-mcp-config
  "--allowedTools=Bash(git log *)"
cwd
  /work
environment
  ANTHROPIC_API_KEY=***
  CLAUDE_CODE_ENTRYPOINT=sdk-ts
  CLAUDE_CODE_MAX_RETRIES=1
  CLAUDE_CODE_SDK_READS_SESSION_STATE=1
  DB_PASSWORD=***
  NODE_OPTIONS is removed
initialize
  systemPrompt: ["${"x".repeat(184)}… (318 characters)
files
  /tmp/hawser-1/mcp.json: 62 bytes, kept until the CLI has read it
warnings
  executableArgs is ignored: this CLI is not a script and needs no runtime.`);
  });
});
