import type { Options } from "hawser";

/**
 * A server-side agent: the options of the CLI for it. The model, the working directory, the tools and their
 * permissions are the operator's. Clients reach it as the model `agent:<name>`.
 */
export interface AgentDefinition extends AgentOptions {
  /** What the agent is for, shown in the list of models. */
  readonly description?: string | undefined;
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
