import {
  compareVersions,
  escapeRule,
  type McpServerConfig,
  type Options,
  readMcpServers,
  type Version,
} from "../options/index.js";
import type { HostRequest } from "../wire/index.js";

/** Options in two parts: the process is started with the first, and receives the second afterwards. */
export interface Split {
  readonly fixed: Options;
  /** The deferred options as control requests, in the order in which they are sent before initialize. */
  readonly late: readonly HostRequest[];
  /** How many deny rules are in `late`. */
  readonly lateDenyRules: number;
}

/** Defers an option only if this CLI treats it then in the same way as at its start. */
export function splitDeferred(options: Options, version: Version | undefined): Split {
  if (!isKnownSince(version, TAKES_DEFERRED)) return { fixed: options, late: [], lateDenyRules: 0 };
  const model = deferredModel(options, version);
  const rules = deferredRules(options);
  const servers = deferredServers(options);
  return {
    fixed: { ...options, ...model?.fixed, ...rules?.fixed, ...servers?.fixed },
    late: [model, rules, servers].flatMap((part) => part?.request ?? []),
    lateDenyRules: rules?.deny ?? 0,
  };
}

interface Part {
  readonly fixed: Options;
  readonly request: HostRequest;
}

/** The oldest version that was seen to accept rules and servers at any time. */
const TAKES_DEFERRED: Version = [2, 1, 197];

/** Older versions put a note about the changed model into the conversation. */
const MODEL_WITHOUT_NOTE: Version = [2, 1, 325];

/** The oldest version that can receive its working directory after its start. */
export const CLAIMS_FOLDER: Version = [2, 1, 281];

/** Whether the CLI is known to be at least this version: false if its version is unknown. */
export function isKnownSince(version: Version | undefined, since: Version): boolean {
  return version !== undefined && compareVersions(version, since) >= 0;
}

function deferredModel(options: Options, version: Version | undefined): Part | undefined {
  const { model, modelAliases = {}, agent } = options;
  // An agent has its own model, and the CLI may weigh it differently against the flag and the request.
  if (!model || agent !== undefined || !isKnownSince(version, MODEL_WITHOUT_NOTE)) return undefined;
  const name = Object.hasOwn(modelAliases, model) ? (modelAliases[model] ?? model) : model;
  return { fixed: { model: undefined }, request: { subtype: "set_model", model: name } };
}

/**
 * A rule that removes a whole tool, agent or skill is not deferred, because the CLI would still offer it to
 * the model. With `settings` no deny rule is deferred, because `settings` may hold the same rules, and the
 * number of rules that the CLI must confirm would be unknown.
 */
function deferredRules(options: Options): (Part & { readonly deny: number }) | undefined {
  const { allowedTools = [], disallowedTools = [], settings } = options;
  const isDeferred = (rule: string) => settings === undefined && !TAKES_AWAY.test(rule);
  const fixed = disallowedTools.filter((rule) => !isDeferred(rule));
  const deny = [...new Set(disallowedTools.filter(isDeferred))];
  const allow = [...new Set(allowedTools)];
  if (allow.length + deny.length === 0) return undefined;
  const permissions = { allow: allow.map(escapeRule), deny: deny.map(escapeRule) };
  return {
    fixed: { allowedTools: undefined, disallowedTools: fixed.length > 0 ? fixed : undefined },
    request: { subtype: "apply_flag_settings", settings: { permissions } },
    deny: deny.length,
  };
}

const TAKES_AWAY = /^[^(]*$|\([*:\s]*\)$|^(Agent|Skill|Task)\(/;

/** The servers that the CLI starts. Servers inside this program are named by initialize. */
function deferredServers({ mcpServers, strictMcpConfig = true }: Options): Part | undefined {
  if (mcpServers === undefined) return undefined;
  const source = readMcpServers(mcpServers);
  if (source.from === "file") return undefined;
  const all = Object.entries(source.servers);
  const outside = all.filter(([, server]) => server.type !== "sdk");
  if (outside.length === 0) return undefined;
  const inside = all.filter(([, server]) => server.type === "sdk");
  return {
    fixed: { mcpServers: mapOf(inside), strictMcpConfig },
    request: { subtype: "mcp_set_servers", servers: mapOf(outside) },
  };
}

function mapOf(
  servers: readonly (readonly [string, McpServerConfig])[],
): Record<string, McpServerConfig> {
  return Object.fromEntries(servers);
}
