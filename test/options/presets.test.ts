import { describe, expect, it } from "vitest";
import { AGENT, LEAN } from "../../src/options/index.js";
import { added } from "./facts.js";

describe("a preset", () => {
  it("lean has no tools, settings, servers, session or prompt, and takes prompts as text", () => {
    expect(added(LEAN)).toEqual({
      flags: ["--tools=", "--strict-mcp-config", "--no-session-persistence", "--setting-sources="],
      env: { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" },
      initialize: { systemPrompt: [""] },
    });
  });

  it("agent is the CLI with the project's settings, and takes prompts as text", () => {
    expect(added(AGENT)).toEqual({ flags: ["--setting-sources=project"] });
  });
});
