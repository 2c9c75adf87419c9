export type { AgentSettings } from "./agent/index.js";
export { createHawser, type HawserProvider } from "./create-hawser.js";
export type { HawserSettings, ModelSettings } from "./settings.js";
