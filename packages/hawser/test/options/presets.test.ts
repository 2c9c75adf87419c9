import { describe, expect, it } from "vitest";
import { AGENT, LEAN, type Options, withPreset } from "../../src/options/index.js";
import { added } from "./facts.helper.js";

describe("a preset", () => {
  it("lean has no tools, settings, servers, session or prompt, and takes prompts as text", () => {
    expect(added(LEAN)).toEqual({
      flags: ["--tools=", "--strict-mcp-config", "--no-session-persistence", "--setting-sources="],
      env: { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" },
      initialize: { systemPrompt: [""] },
    });
  });

  it.each<[string, Options]>([
    ["lean", { preset: "lean" }],
    ["lean without trust", { preset: "lean", trustProject: false }],
    ["agent", { preset: "agent" }],
    ["agent with trust", { preset: "agent", trustProject: true }],
    ["a session", {}],
    ["a session with trust", { trustProject: true }],
    ["named sources", { settingSources: ["user"], trustProject: false }],
  ])("gives the same options when it is applied twice: %s", (_, options) => {
    expect(withPreset(withPreset(options))).toEqual(withPreset(options));
  });

  it("agent is the CLI with the project's settings, and takes prompts as text", () => {
    expect(added(AGENT)).toEqual({ flags: ["--setting-sources=project"] });
  });
});
