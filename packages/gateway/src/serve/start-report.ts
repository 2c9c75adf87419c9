import { LISTED_ALIASES } from "../answer/resolve-model.js";
import { CREDENTIAL_WORDS } from "./credential-kind.js";
import type { FleetDatabase } from "./fleet-database.js";
import type { PlannedTenant, ServePlan } from "./serve-plan.js";

/** What a server says when it listens. */
export interface StartReport {
  readonly url: string;
  readonly config: string | undefined;
  readonly needsKey: boolean;
  readonly tenants: readonly Pick<PlannedTenant, "name" | "keyCount" | "credentials">[];
  readonly models: readonly string[];
  /** Where the fleet is, without a password; undefined without a fleet. */
  readonly fleet: string | undefined;
  /** The address of the page, with its token unless keys are the tokens; absent without a page. */
  readonly inspect?: string;
}

export function startReport(plan: ServePlan, url: string, config: string | undefined): StartReport {
  const { registry, agents, tenants } = plan;
  const named = Object.entries(registry.models).map(([name, target]) => `${name} -> ${target}`);
  return {
    url,
    config,
    needsKey: registry.keys.length > 0,
    tenants: tenants.map(({ name, keyCount, credentials }) => ({ name, keyCount, credentials })),
    fleet: plan.database === undefined ? undefined : placeOf(plan.database),
    models: [
      ...LISTED_ALIASES,
      "claude-*",
      ...named,
      ...Object.keys(agents).map((name) => `agent:${name}`),
    ],
  };
}

function placeOf(database: FleetDatabase): string {
  if (typeof database !== "string") return database.folder;
  const { protocol, host, pathname } = new URL(database);
  return `${protocol}//${host}${pathname}`;
}

function pageLine(inspect: string | undefined, needsKey: boolean): string {
  if (inspect === undefined) return "";
  return `\n  page: ${inspect}${needsKey ? "#token=<key of an admin>" : ""}`;
}

/** The report as text. */
export function describeStart(report: StartReport): string {
  const { url, config, needsKey, tenants, models, fleet, inspect } = report;
  const rows = tenants.map(({ name, keyCount, credentials }) => {
    const keys = needsKey ? `${keyCount} ${keyCount === 1 ? "key" : "keys"}` : "no key needed";
    const words = credentials.map((kind) => CREDENTIAL_WORDS[kind]).join(", ");
    return `  tenant ${name}: ${keys}; credential: ${words}`;
  });
  const key = needsKey ? ' \\\n    -H "x-api-key: $HAWSER_KEY"' : "";
  const body =
    '{"model":"sonnet","max_tokens":1024,"messages":[{"role":"user","content":"Name a knot."}]}';
  return `hawser serve listens on ${url}
  configuration: ${config ?? "none, so the defaults apply"}
${rows.join("\n")}
  models: ${models.join(", ")}${fleet === undefined ? "" : `\n  fleet: ${fleet}`}${pageLine(inspect, needsKey)}

Try it:
  curl ${url}/v1/messages -H "content-type: application/json"${key} \\
    -d '${body}'

Base URL for clients of Anthropic: ${url}
Base URL for clients of OpenAI:    ${url}/v1
`;
}
