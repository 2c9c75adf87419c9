import { buildInvocation, HawserError, type Issue, isHawserError, type Options } from "hawser";
import { z } from "zod";
import { agentCliOptions } from "../agents/agent-cli-options.js";
import { closestKey } from "./closest-key.js";
import { CONFIG_SCHEMA } from "./config-schema.js";
import type { GatewayConfig } from "./gateway-config.js";

/**
 * Checks a configuration. Throws `invalid_options` with all problems at once: the path, what is wrong, and for an
 * unknown name the closest known one. `source` is the file, for the message.
 */
export function checkConfig(value: unknown, source: string): GatewayConfig {
  const parsed = CONFIG_SCHEMA.safeParse(value);
  const issues = parsed.success
    ? issuesBetween(parsed.data)
    : parsed.error.issues.flatMap((issue) => issuesOf(issue));
  if (parsed.success && issues.length === 0) return parsed.data;
  const lines = issues.map(({ path, message }) => `  ${path}: ${message}`);
  throw new HawserError("invalid_options", `${source} is not valid:\n${lines.join("\n")}`, {
    hint: "Correct the file. docs/gateway.md lists the settings.",
    issues,
  });
}

function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  const path = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(issue.path);
    return issue.keys.map((key) => {
      const close = closestKey(key, known);
      const advice =
        close === undefined ? `known are ${known.join(", ")}` : `did you mean ${close}?`;
      return { path: pathText([...issue.path, key]), message: `is not a setting; ${advice}` };
    });
  }
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => ({ path, message }));
  }
  return [{ path, message: messageOf(issue) }];
}

/** Without the value, because it may be a secret. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${article(issue.expected)}`;
  if (issue.code === "invalid_value") {
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  }
  if (issue.code === "too_small") {
    if (issue.origin === "string") return "must not be empty";
    return `must be ${issue.inclusive ? "at least" : "greater than"} ${issue.minimum}`;
  }
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  return issue.message;
}

const ARTICLES: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function article(expected: string): string {
  return ARTICLES[expected] ?? expected;
}

/** `tenants.alice.keys[0]`; the whole configuration is `(configuration)`. */
function pathText(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("");
  return text === "" ? "(configuration)" : text.replace(/^\./, "");
}

/** The settings that the schema knows at a path. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = CONFIG_SCHEMA;
  for (const part of path) {
    schema = unwrap(schema);
    if (schema instanceof z.ZodObject) schema = schema.shape[String(part)];
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else if (schema instanceof z.ZodArray) schema = schema.element;
  }
  const found = unwrap(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

/** What the schema cannot say: settings that contradict each other, and the options of agents. */
function issuesBetween(config: GatewayConfig): Issue[] {
  const { models = {}, agents = {}, tenants = {}, fleet } = config;
  const issues: Issue[] = [];
  if (fleet?.database !== undefined && fleet.databaseEnv !== undefined) {
    issues.push({
      path: "fleet.database",
      message: "contradicts databaseEnv; keep one of them",
    });
  }
  const agentNames = Object.keys(agents);
  const unknownAgent = (path: string, name: string) => {
    if (agentNames.includes(name)) return;
    const close = closestKey(name, agentNames);
    const advice = close === undefined ? "add it to agents" : `did you mean ${close}?`;
    issues.push({ path, message: `there is no agent ${JSON.stringify(name)}; ${advice}` });
  };
  for (const [name, target] of Object.entries(models)) {
    if (target.startsWith(AGENT)) unknownAgent(`models.${name}`, target.slice(AGENT.length));
  }
  for (const [name, definition] of Object.entries(agents)) {
    issues.push(...agentIssues(`agents.${name}`, agentCliOptions(definition)));
  }
  for (const [name, tenant] of Object.entries(tenants)) {
    const path = `tenants.${name}`;
    for (const [index, agent] of (tenant.agents ?? []).entries()) {
      unknownAgent(`${path}.agents[${index}]`, agent);
    }
    if (tenant.apiKey !== undefined && tenant.apiKeyEnv !== undefined) {
      issues.push({ path: `${path}.apiKey`, message: "contradicts apiKeyEnv; keep one of them" });
    }
  }
  return issues;
}

const AGENT = "agent:";

/** `hawser` checks the options in the same way as for a call. No process is started. */
function agentIssues(path: string, options: Options): Issue[] {
  try {
    buildInvocation(options, NEWEST_CLI, { ...HOST, env: {} });
    return [];
  } catch (error) {
    if (!isHawserError(error)) throw error;
    const issues = error.issues ?? [];
    if (issues.length === 0) return [{ path, message: error.message }];
    return issues.map((issue) => ({ path: `${path}.${issue.path}`, message: issue.message }));
  }
}

/** Facts of no real machine: with these, only the options themselves can be wrong. */
const NEWEST_CLI = { path: "/claude", version: [99, 0, 0] } as const;
const HOST = { platform: process.platform, execPath: process.execPath, privateDir: "/private" };
