import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as answer from "../../src/answer/index.js";
import { HAWSER_VERSION } from "../../src/base/index.js";
import * as council from "../../src/council/index.js";
import * as root from "../../src/index.js";
import * as providers from "../../src/providers/index.js";
import * as testing from "../../src/testing/index.js";

it("HAWSER_VERSION is the version of the package", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(HAWSER_VERSION).toBe(JSON.parse(manifest).version);
});

/** The names that others import. Adding one is a decision; removing one breaks somebody. */
describe("the exported names", () => {
  it("of hawser are exactly these", () => {
    expect(Object.keys(root).sort()).toEqual([
      "AbortError",
      "BUILTIN_TOOL_NAMES",
      "CHANNELS",
      "CommandMatcher",
      "DirectConnectError",
      "DirectConnectTransport",
      "ERROR_CODES",
      "EXIT_REASONS",
      "FileIndex",
      "HOOK_EVENTS",
      "HawserError",
      "InMemorySessionStore",
      "LEGACY_TOOL_NAME_ALIASES",
      "LineFramer",
      "MemoryTransport",
      "ORG_POLICY_LIMIT_PREFIXES",
      "SYSTEM_PROMPT_DYNAMIC_BOUNDARY",
      "SubprocessTransport",
      "TRACING_CHANNELS",
      "USAGE_LIMIT_ERROR_PREFIXES",
      "USAGE_TRANSITION_PREFIXES",
      "USAGE_WARNING_PREFIXES",
      "approvalRecord",
      "archiveSession",
      "buildInvocation",
      "checkCli",
      "checkDecision",
      "complete",
      "coveredCalls",
      "createApprovals",
      "createPool",
      "createSdkMcpServer",
      "deleteSession",
      "describeCall",
      "describeElicitation",
      "elicitationResult",
      "endOrphans",
      "explain",
      "explainPermission",
      "extractJson",
      "filterEscalatingDefaultMode",
      "findOrphans",
      "foldSessionSummary",
      "forkSession",
      "getSessionInfo",
      "getSessionMessages",
      "getSubagentMessages",
      "importSessionToStore",
      "isBlock",
      "isHawserError",
      "isMessage",
      "isResult",
      "isSystem",
      "listSessions",
      "listSubagents",
      "liveSession",
      "locateCli",
      "maskSecrets",
      "matchDeniedModels",
      "openSession",
      "parseCliOutput",
      "parseDirectConnectUrl",
      "permissionResult",
      "prewarm",
      "processes",
      "query",
      "refusalOf",
      "renameSession",
      "resolveSettings",
      "shutdown",
      "startup",
      "stream",
      "stripFence",
      "tagSession",
      "tool",
      "unarchiveSession",
    ]);
  });

  it("of hawser/answer are exactly these", () => {
    expect(Object.keys(answer).sort()).toEqual([
      "MessageReader",
      "answerRequest",
      "appendSystemPrompt",
      "blockEvents",
      "isForced",
      "shownName",
      "wholeAnswer",
    ]);
  });

  it("of hawser/council are exactly these", () => {
    expect(Object.keys(council).sort()).toEqual([
      "DEFAULT_REVIEWERS",
      "LARGEST_SUBJECT",
      "RULE_NAMES",
      "council",
      "formatReport",
      "magi",
      "majority",
      "unanimous",
      "veto",
      "weighted",
    ]);
  });

  it("of hawser/providers are exactly these", () => {
    expect(Object.keys(providers).sort()).toEqual([
      "CLAUDE_CLI_MODEL_ALIASES",
      "ClaudeCliProvider",
      "ClaudeCodeProvider",
      "contextToPrompt",
      "mcpToolPatterns",
      "toMagiError",
      "toOmegaError",
    ]);
  });

  it("of hawser/testing are exactly these", () => {
    expect(Object.keys(testing).sort()).toEqual([
      "SimulatedModel",
      "always",
      "apiError",
      "cut",
      "fakeCli",
      "hang",
      "isolatedEnv",
      "maxTokens",
      "offlineWorld",
      "rateLimitHeaders",
      "record",
      "redactedThinking",
      "refusal",
      "replay",
      "reply",
      "sessionStoreChecks",
      "streamError",
      "text",
      "thinking",
      "toolUse",
      "usageLimit",
    ]);
  });
});
