import { describe, expect, it } from "vitest";
import { AGENT, LEAN, numberHooks } from "../../src/options/index.js";
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
    expect(added(AGENT)).toEqual({
      flags: ["--setting-sources=project"],
      env: { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" },
    });
  });
});

describe("hooks", () => {
  it("are called by the ids that they are registered under", () => {
    const [a, b, c] = [() => ({}), () => ({}), () => ({})];
    const { registrations, callbacks } = numberHooks({
      Stop: [{ hooks: [a] }],
      PreToolUse: [{ matcher: "Bash", hooks: [b, c] }],
    });
    expect(registrations).toEqual({
      Stop: [{ hookCallbackIds: ["hook_0"] }],
      PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["hook_1", "hook_2"] }],
    });
    expect([...callbacks]).toEqual([
      ["hook_0", a],
      ["hook_1", b],
      ["hook_2", c],
    ]);
  });
});
