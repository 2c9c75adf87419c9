export type { AgentSettings } from "../agent/agent-settings.js";
export type { HawserSettings, ModelSettings } from "../settings.js";
export { createHawser, type HawserProviderV3 } from "./create-hawser-v3.js";
