import {
  compareVersions,
  escapeRule,
  type McpServerConfig,
  type Options,
  readServers,
  type Version,
} from "../options/index.js";
import type { HostRequest } from "../wire/index.js";

/** Options in two parts: what a process must be started with, and what it can be told afterwards. */
export interface Split {
  readonly fixed: Options;
  /** In the order in which they are to be sent, before initialize. */
  readonly late: readonly HostRequest[];
  /** How many of the deny rules are among these. */
  readonly lateDenyRules: number;
}

/** As far as the CLI obeys later in the same way; everything else stays in `fixed`. */
export function splitLate(options: Options, version: Version | undefined): Split {
  if (!isSince(version, TAKES_DEFERRED)) return { fixed: options, late: [], lateDenyRules: 0 };
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

/** The oldest version that was seen to take rules and servers at any time. */
const TAKES_DEFERRED: Version = [2, 1, 197];

/** Older ones put a note on the change into the conversation. */
const MODEL_WITHOUT_NOTE: Version = [2, 1, 325];

/** Since then a process can be told its working directory. */
export const CLAIMS_FOLDER: Version = [2, 1, 281];

/** One of unknown version is not trusted with what only newer ones can. */
export function isSince(version: Version | undefined, since: Version): boolean {
  return version !== undefined && compareVersions(version, since) >= 0;
}

function deferredModel(options: Options, version: Version | undefined): Part | undefined {
  const { model, modelAliases = {}, agent } = options;
  // An agent has a model of its own, which the flag and the request may weigh differently.
  if (!model || agent !== undefined || !isSince(version, MODEL_WITHOUT_NOTE)) return undefined;
  const name = Object.hasOwn(modelAliases, model) ? (modelAliases[model] ?? model) : model;
  return { fixed: { model: undefined }, request: { subtype: "set_model", model: name } };
}

/**
 * What is taken away whole, be it a tool, an agent or a skill, would still be offered if it were told
 * late. Beside `settings`, which may hold the same rules, nothing would tell how many must arrive.
 */
function deferredRules(options: Options): (Part & { readonly deny: number }) | undefined {
  const { allowedTools = [], disallowedTools = [], settings } = options;
  const isLate = (rule: string) => settings === undefined && !TAKES_AWAY.test(rule);
  const fixed = disallowedTools.filter((rule) => !isLate(rule));
  const deny = [...new Set(disallowedTools.filter(isLate))];
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

/** Those that the CLI starts; those of this program travel by initialize. */
function deferredServers({ mcpServers, strictMcpConfig = true }: Options): Part | undefined {
  if (mcpServers === undefined) return undefined;
  const source = readServers(mcpServers);
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
