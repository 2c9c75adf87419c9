import { HawserError } from "hawser";
import type { AgentDefinition, AgentDefinitions } from "../agents/agent-definition.js";
import type { FleetRunOptions } from "./gateway-fleet.js";

/** An agent whose requests are runs of the fleet. */
export interface FleetAgent {
  /** The profile of the workers. */
  readonly profile: string;
  readonly queue: string | undefined;
  readonly options: FleetRunOptions;
}

/** Where the agents of a gateway can run. */
export interface AgentPlaces {
  readonly hasPool: boolean;
  readonly hasFleet: boolean;
}

/** Whether the requests to an agent are runs of the fleet: if it says so, or if the gateway was given only a fleet. */
export function runsOnFleet(
  { runOn }: Pick<AgentDefinition, "runOn">,
  { hasPool, hasFleet }: AgentPlaces,
): boolean {
  return (runOn ?? (hasFleet && !hasPool ? "fleet" : "pool")) === "fleet";
}

/** The agent as the fleet needs it. Its profile has its own name unless it says otherwise. */
export function fleetAgentOf(name: string, definition: AgentDefinition): FleetAgent {
  const { profile = name, queue } = definition;
  return { profile, queue, options: pickOptions(definition) };
}

/**
 * Throws `invalid_options` for agents that cannot run where they shall: on a fleet that there is not, or on a fleet
 * with options that name something of this machine.
 */
export function checkFleetAgents(agents: AgentDefinitions, places: AgentPlaces): void {
  const issues = Object.entries(agents).flatMap(([name, definition]) =>
    runsOnFleet(definition, places) ? issuesOf(`agents.${name}`, definition, places) : [],
  );
  const [first] = issues;
  if (first === undefined) return;
  throw new HawserError("invalid_options", `${first.path}: ${first.message}`, {
    hint: "The profile of the workers has the options that cannot travel.",
    issues,
  });
}

function issuesOf(path: string, definition: AgentDefinition, { hasFleet }: AgentPlaces) {
  if (!hasFleet) {
    return [{ path: `${path}.runOn`, message: 'is "fleet", but the gateway has no fleet' }];
  }
  return Object.keys(definition)
    .filter((key) => !OWN_KEYS.has(key) && !TRAVELLING.some((name) => name === key))
    .map((key) => ({
      path: `${path}.${key}`,
      message: "is not an option of a run: it belongs into the profile of the workers",
    }));
}

const OWN_KEYS: ReadonlySet<string> = new Set(["description", "runOn", "profile", "queue"]);

const TRAVELLING = [
  "model",
  "fallbackModel",
  "systemPrompt",
  "maxTurns",
  "maxBudgetUsd",
  "effort",
  "thinking",
  "allowedTools",
  "disallowedTools",
] as const satisfies readonly (keyof FleetRunOptions)[];

function pickOptions(definition: AgentDefinition): FleetRunOptions {
  const given = TRAVELLING.filter((name) => definition[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, definition[name]]));
}
