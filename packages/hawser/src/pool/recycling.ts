import type { Issue } from "../base/index.js";
import type { OptionName, Options } from "../options/index.js";

/**
 * Why a process that has served these options must not serve anybody else after a reset of its
 * conversation. Empty if it may: what is not known to be harmless counts as a reason.
 */
export function hindrances(options: Options): readonly Issue[] {
  const issues: Issue[] = [];
  for (const name of Object.keys(options) as OptionName[]) {
    if (HARMLESS.has(name) || options[name] === undefined) continue;
    const rule = RULES[name];
    const problem = rule === undefined ? SURVIVES : rule(options[name]);
    if (problem !== undefined) issues.push({ path: name, message: problem });
  }
  // These are harmful when they are not given.
  for (const name of REQUIRED) {
    if (options[name] === undefined)
      issues.push({ path: name, message: RULES[name]?.(undefined) ?? "" });
  }
  return issues;
}

/** Of no consequence after the call, or the same for all that may have the process. */
const HARMLESS: ReadonlySet<OptionName> = new Set<OptionName>([
  "abortController",
  "agents",
  "apiKey",
  "betas",
  "cliFrom",
  "cliPath",
  "closeGraceMs",
  "configDir",
  "cwd",
  "debug",
  "debugFile",
  "effort",
  "env",
  "executable",
  "executableArgs",
  "includePartialMessages",
  "inheritEnv",
  "logger",
  "maxBudgetUsd",
  "maxLineBytes",
  "maxRepairs",
  "maxThinkingTokens",
  "maxTurns",
  "model",
  "modelAliases",
  "nested",
  "oauthToken",
  "onOldCli",
  "outputFormat",
  "pathToClaudeCodeExecutable",
  "pool",
  "preset",
  "priority",
  "retry",
  "schema",
  "signal",
  "stderr",
  "strictSettingsMerge",
  "systemPrompt",
  "tenant",
  "thinking",
  "timeouts",
  "user",
  "verbatimPrompts",
]);

const SURVIVES = "may leave something behind that a reset does not clear";

type Rule = (value: unknown) => string | undefined;

const RULES: Partial<Record<OptionName, Rule>> = {
  tools: unless(isEmpty, "tools leave files, shells and grants behind: must be []"),
  settingSources: unless(isEmpty, "settings files bring hooks, servers and rules: must be []"),
  trustProject: unless((value) => value === true, "instructions of the project are read"),
  strictMcpConfig: unless(
    (value) => value === true,
    "other MCP configuration counts: must be true",
  ),
  persistSession: unless((value) => value === false, "the session stays on disk: must be false"),
  literalPrompt: unless(
    (value) => value === true,
    "a prompt may be a command that changes the process: must be true",
  ),
  permissionMode: unless((value) => value === "default" || value === "manual", SURVIVES),
  mcpServers: unless(isEmpty, "servers have a state of their own"),
  allowedTools: unless(isEmpty, "grants are not cleared by a reset"),
  disallowedTools: unless(isEmpty, "rules are not cleared by a reset"),
  hooks: unless(isEmpty, "hooks are not cleared by a reset"),
  plugins: unless(isEmpty, SURVIVES),
  additionalDirectories: unless(isEmpty, "directories are not cleared by a reset"),
  autoResume: unless((value) => value === 0, "the session stays on disk"),
  recover: unless((value) => value === false, "the session stays on disk"),
  continue: unless((value) => value === false, "the session is another's"),
  forkSession: unless((value) => value === false, "the session is another's"),
  fallbackModel: () => "the process may go on with the other model",
};

const REQUIRED: readonly OptionName[] = [
  "tools",
  "settingSources",
  "strictMcpConfig",
  "persistSession",
  "literalPrompt",
];

function unless(isFine: (value: unknown) => boolean, message: string): Rule {
  return (value) => (isFine(value) ? undefined : message);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
