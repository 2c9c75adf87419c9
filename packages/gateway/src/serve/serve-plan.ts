import { resolve } from "node:path";
import { HawserError, type Isolation, type Issue, type Options } from "hawser";
import { agentCliOptions } from "../agents/agent-cli-options.js";
import type { AgentDefinitions } from "../agents/agent-definition.js";
import { agentOptionsOf } from "../agents/agent-options-of.js";
import type { GatewayConfig, LoadedConfig, TenantConfig } from "../config/index.js";
import { keysFileFor, readKeys } from "../tenants/keys-file.js";
import { includesModel } from "../tenants/model-rights.js";
import { stateFolderFor } from "../tenants/spending-ledger.js";
import type { RegistryPlan, TenantPlan } from "../tenants/tenant-registry.js";
import { type CredentialKind, credentialKindOf } from "./credential-kind.js";
import { type FleetDatabase, fleetDatabase } from "./fleet-database.js";
import { rulesOfUse } from "./rules-of-use.js";

/** What a configuration depends on, besides the file. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The options of all calls, such as the CLI and environment of a simulated model. */
  readonly options: Options;
  /** Whether a simulated model answers, so that no credential is used. */
  readonly isSimulated: boolean;
  /** The address that the command line asks for. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** The database of the fleet that the command line asks for. */
  readonly database?: FleetDatabase | undefined;
  /** Whether requests need a key even if there is none, because the server had keys when it started. */
  readonly needsKey?: boolean | undefined;
}

/** A configuration with everything that follows from it, checked against the rules of use. */
export interface ServePlan {
  readonly config: GatewayConfig;
  readonly host: string;
  readonly port: number;
  readonly keysFile: string;
  readonly stateDir: string;
  readonly registry: RegistryPlan;
  readonly agents: AgentDefinitions;
  /** The database of the fleet; undefined without a fleet. */
  readonly database: FleetDatabase | undefined;
  readonly tenants: readonly PlannedTenant[];
  readonly warnings: readonly string[];
}

export interface PlannedTenant {
  readonly name: string;
  readonly keyCount: number;
  /** The kind for completions first, then other kinds that its agents use. */
  readonly credentials: readonly CredentialKind[];
  readonly isolation: Isolation | undefined;
}

/** The tenant of a server without tenants and keys. */
const LOCAL_TENANT = "local";

/** Throws `invalid_options` if the configuration is not complete, or if the rules of use forbid it. */
export function planOf(loaded: LoadedConfig, surroundings: Surroundings): ServePlan {
  const { config, file, folder } = loaded;
  const { env, options: base, isSimulated } = surroundings;
  const host = surroundings.host ?? config.listen?.host ?? "127.0.0.1";
  const port = surroundings.port ?? config.listen?.port ?? DEFAULT_PORT;
  const keysFile =
    config.keysFile === undefined
      ? keysFileFor(file === undefined ? undefined : folder, env)
      : resolve(folder, config.keysFile);
  const stateDir =
    config.stateDir === undefined ? stateFolderFor(env) : resolve(folder, config.stateDir);
  const stored = readKeys(keysFile);
  const given = tenantsOf(config, stored);
  const keys = [
    ...stored,
    ...given.flatMap(([tenant, { keys: hashes = [] }]) =>
      hashes.map((sha256) => ({ tenant, sha256: sha256.toLowerCase() })),
    ),
  ].filter(({ tenant }) => given.some(([name]) => name === tenant));
  const needsKey = keys.length > 0 || surroundings.needsKey === true;
  const models = config.models ?? {};
  const agents = agentsIn(config, folder);
  const issues: Issue[] = [];
  const folders = [...Object.values(config.tenants ?? {}), ...Object.values(agents)].flatMap(
    ({ configDir }) => (configDir === undefined ? [] : [resolve(folder, configDir)]),
  );
  const isOwn = (configDir: string | undefined) =>
    configDir !== undefined &&
    folders.filter((each) => each === resolve(folder, configDir)).length === 1;
  const plans = given.map(([name, tenant]): TenantPlan => {
    const { admin, readOnly, isolation: _, keys: __, apiKey: ___, ...rights } = tenant;
    return {
      ...rights,
      name,
      options: { ...base, ...optionsOf(name, tenant, { env, folder, isSimulated, issues }) },
      ownsConfigDir: isOwn(tenant.configDir),
      // Without keys, the only tenant is the person at this machine.
      isAdmin: admin ?? !needsKey,
      canControl: readOnly !== true,
    };
  });
  const database = fleetDatabase({
    ...{ config: config.fleet, given: surroundings.database, env, folder, issues },
  });
  refuseIssues(issues, file);
  refuseKeyless(given, needsKey);
  const tenants = plans.map((plan, index): PlannedTenant => {
    const isolation = given[index]?.[1].isolation;
    return {
      name: plan.name,
      keyCount: keys.filter(({ tenant }) => tenant === plan.name).length,
      credentials: isSimulated ? ["simulated"] : credentialsOf(plan, { env, models, agents }),
      isolation: isolation === config.pool?.isolation ? undefined : isolation,
    };
  });
  refuseByRules(host, needsKey, tenants);
  const registry = { tenants: plans, keys, models };
  const warnings = [
    ...warningsFor(given, stored, keys.length, tenants),
    ...(needsKey && keys.length === 0 ? [NO_KEY_LEFT] : []),
  ];
  const places = { keysFile, stateDir, database };
  return { config, host, port, ...places, registry, agents, tenants, warnings };
}

const DEFAULT_PORT = 8787;
const NO_KEY_LEFT =
  "No key is left, so every request is refused. Add a key and reload; a restart would serve without keys.";

type NamedTenant = readonly [name: string, tenant: TenantConfig];

function tenantsOf(
  { tenants }: GatewayConfig,
  stored: readonly { readonly tenant: string }[],
): NamedTenant[] {
  if (tenants !== undefined && Object.keys(tenants).length > 0) return Object.entries(tenants);
  const names = [...new Set(stored.map(({ tenant }) => tenant))];
  return (names.length === 0 ? [LOCAL_TENANT] : names).map((name) => [name, {}]);
}

/** Relative folders of agents start at the configuration. */
function agentsIn({ agents = {} }: GatewayConfig, folder: string): AgentDefinitions {
  const entries = Object.entries(agents).map(([name, options]) => {
    const { cwd, configDir } = options;
    const places = {
      ...(cwd === undefined ? {} : { cwd: resolve(folder, cwd) }),
      ...(configDir === undefined ? {} : { configDir: resolve(folder, configDir) }),
    };
    return [name, { ...options, ...places }] as const;
  });
  return Object.fromEntries(entries);
}

interface OptionFacts {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly isSimulated: boolean;
  readonly issues: Issue[];
}

function optionsOf(name: string, tenant: TenantConfig, facts: OptionFacts): Options {
  const { apiKeyEnv, configDir, cwd } = tenant;
  const { env, folder, isSimulated, issues } = facts;
  const apiKey = tenant.apiKey ?? (apiKeyEnv === undefined ? undefined : env[apiKeyEnv]);
  if (apiKeyEnv !== undefined && (apiKey ?? "") === "" && !isSimulated) {
    const message = `the environment variable ${apiKeyEnv} is not set`;
    issues.push({ path: `tenants.${name}.apiKeyEnv`, message });
  }
  return {
    // A simulated model needs no key, so that no real one is used for it.
    ...(apiKey === undefined || apiKey === "" || isSimulated ? {} : { apiKey }),
    ...(configDir === undefined ? {} : { configDir: resolve(folder, configDir) }),
    ...(cwd === undefined ? {} : { cwd: resolve(folder, cwd) }),
  };
}

interface CredentialFacts {
  readonly env: NodeJS.ProcessEnv;
  readonly models: Readonly<Record<string, string>>;
  readonly agents: AgentDefinitions;
}

function credentialsOf(
  plan: TenantPlan,
  { env, models, agents }: CredentialFacts,
): CredentialKind[] {
  const names = ["", ...Object.keys(models)];
  const usable = Object.entries(agents).filter(([agent, { runOn }]) => {
    // The workers of a fleet have credentials of their own.
    if (runOn === "fleet") return false;
    const target = `agent:${agent}`;
    const aliases = names.filter((name) => models[name] === target);
    return [target, ...aliases].some((name) => includesModel(plan, name, target));
  });
  const kinds = usable.map(([, options]) =>
    credentialKindOf(agentOptionsOf(plan.options, agentCliOptions(options)), env),
  );
  return [...new Set([credentialKindOf(plan.options, env), ...kinds])];
}

function refuseIssues(issues: readonly Issue[], file: string | undefined): void {
  if (issues.length === 0) return;
  const lines = issues.map(({ path, message }) => `  ${path}: ${message}`);
  throw new HawserError("invalid_options", `${file} is not valid:\n${lines.join("\n")}`, {
    hint: "Correct the file, or set the variables.",
    issues,
  });
}

/** Without keys, nothing would tell the tenants apart. */
function refuseKeyless(tenants: readonly NamedTenant[], needsKey: boolean): void {
  if (tenants.length < 2 || needsKey) return;
  const names = tenants.map(([name]) => JSON.stringify(name)).join(", ");
  throw new HawserError("invalid_options", `The tenants ${names} have no keys.`, {
    hint: "Create a key for each of them with `hawser serve keys add <tenant>`.",
  });
}

function refuseByRules(host: string, hasKeys: boolean, tenants: readonly PlannedTenant[]): void {
  const [first, ...others] = rulesOfUse({ host, hasKeys, tenants });
  if (first === undefined) return;
  const messages = [first, ...others].map(({ message }) => message);
  throw new HawserError("invalid_options", messages.join("\n"), {
    hint: [...new Set([first, ...others].map(({ hint }) => hint))].join("\n"),
    issues: [first, ...others].map(({ rule, message }) => ({ path: rule, message })),
  });
}

function warningsFor(
  given: readonly NamedTenant[],
  stored: readonly { readonly tenant: string }[],
  keyCount: number,
  tenants: readonly PlannedTenant[],
): string[] {
  const strangers = [...new Set(stored.map(({ tenant }) => tenant))].filter((tenant) =>
    given.every(([name]) => name !== tenant),
  );
  const silent = keyCount === 0 ? [] : tenants.filter((tenant) => tenant.keyCount === 0);
  return [
    ...strangers.map(
      (name) =>
        `The keys of tenant "${name}" do not work, because the configuration has no such tenant.`,
    ),
    ...silent.map(({ name }) => `Tenant "${name}" has no key, so no request can be its.`),
  ];
}
