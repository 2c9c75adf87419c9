import type { Options } from "./options.js";

/** A bare completion: no tools, no settings files, no servers, no session on disk, no prompt. */
export const LEAN: Options = {
  tools: [],
  settingSources: [],
  strictMcpConfig: true,
  persistSession: false,
  systemPrompt: "",
  literalPrompt: true,
};

/** The CLI's own agent: its tools, prompt and sessions, and the project's settings. */
export const AGENT: Options = { settingSources: ["project"], literalPrompt: true };
