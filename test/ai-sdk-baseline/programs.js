import { AGENT } from "./programs/agent.js";
import { FILES } from "./programs/files.js";
import { PROCESSES } from "./programs/processes.js";
import { TEXT } from "./programs/text.js";
import { TOOLS } from "./programs/tools.js";

/**
 * The programs, by name. `run` gets the provider and its place. It ends with an `Observation` if the goal is not
 * reached, or resolves to a note for the table. `others` has another documented way of one provider to the goal.
 */
export const PROGRAMS = { ...TEXT, ...TOOLS, ...FILES, ...AGENT, ...PROCESSES };
