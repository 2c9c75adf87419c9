import type { Options } from "hawser";

/**
 * A server-side agent: the options of the CLI for it. The model, the working directory, the tools and their
 * permissions are the operator's. Clients reach it as the model `agent:<name>`.
 */
export interface AgentDefinition extends AgentOptions {
  /** What the agent is for, shown in the list of models. */
  readonly description?: string | undefined;
  /**
   * Where its requests run: in a process of the pool, or as runs of the fleet. On the fleet, the agent can only have
   * options that travel: the model and its fallback, the system prompt, limits, effort, thinking, and rules for tools.
   * Folders, servers, keys and functions are those of the workers' profile.
   * @default "pool"; "fleet" if the gateway was given a fleet and no pool
   */
  readonly runOn?: "pool" | "fleet" | undefined;
  /** The profile of the workers, for an agent on the fleet. @default the name of the agent */
  readonly profile?: string | undefined;
  /** Which workers may take its runs, for an agent on the fleet. @default "default" */
  readonly queue?: string | undefined;
}

type AgentOptions = Omit<
  Options,
  | "history"
  | "clientTools"
  | "toolChoice"
  | "schema"
  | "outputFormat"
  | "resume"
  | "continue"
  | "sessionId"
  | "recover"
  | "autoResume"
  | "signal"
  | "abortController"
  | "pool"
  | "tenant"
  | "bare"
>;

/** Agents by name. */
export type AgentDefinitions = Readonly<Record<string, AgentDefinition>>;
