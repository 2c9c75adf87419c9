import { omitUndefined } from "../base/index.js";
import type { Options, SettingSource } from "./options.js";

/**
 * Adds the options of the preset, if the options name one. The project's settings files are sources
 * only if the project is trusted.
 */
export function withPreset(options: Options): Options {
  const { systemPrompt, settingSources, ...preset } = PRESETS[options.preset ?? "none"];
  // With `agent` no prompt is set, because it would replace that of the agent.
  const prompt = options.agent === undefined && systemPrompt !== undefined ? { systemPrompt } : {};
  return omitUndefined({
    ...preset,
    ...prompt,
    ...omitUndefined(options),
    ...trust(options, settingSources),
  });
}

/** A bare completion: no tools, no settings files, no servers, no session on disk, no prompt. */
export const LEAN: Options = {
  tools: [],
  settingSources: [],
  strictMcpConfig: true,
  persistSession: false,
  systemPrompt: "",
  literalPrompt: true,
};

/** The CLI's own agent: its tools, prompt and sessions, and the settings of a trusted project. */
export const AGENT: Options = { settingSources: ["project"], literalPrompt: true };

const PRESETS: Readonly<Record<NonNullable<Options["preset"]> | "none", Options>> = {
  lean: LEAN,
  agent: AGENT,
  none: {},
};

/**
 * Files of a project can run code (hooks, MCP servers, apiKeyHelper, commands of skills) and widen
 * rights (permissions.allow, agents). So they are not setting sources unless the caller trusts the
 * project or names the sources. `trustProject: false` stays in the options only if the project's
 * instructions must still be read.
 */
function trust(
  { settingSources: named, trustProject }: Options,
  usual: readonly SettingSource[] | undefined,
): Pick<Options, "settingSources" | "trustProject"> {
  if (named !== undefined) return { settingSources: named, trustProject };
  if (trustProject === true) return usual === undefined ? {} : { settingSources: [...usual] };
  // A lean call reads nothing of the project, so there is nothing to trust.
  if (usual?.length === 0) return { settingSources: [], trustProject: undefined };
  const others = (usual ?? ALL_SOURCES).filter((source) => !isOfProject(source));
  return { settingSources: others, trustProject: false };
}

const ALL_SOURCES: readonly SettingSource[] = ["user", "project", "local"];

/** The local settings are also in the project's folder, so an archive may contain them. */
export function isOfProject(source: unknown): boolean {
  return source === "project" || source === "local";
}
