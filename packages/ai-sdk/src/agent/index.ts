export { type AgentContext, AgentModel } from "./agent-model.js";
export type { AgentRun } from "./agent-run.js";
export type { AgentSettings } from "./agent-settings.js";
export { ParkedTurns } from "./parked-turns.js";
