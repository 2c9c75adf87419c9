import { getPath, type Logger, warnOnce } from "../base/index.js";
import { type Options, shadowedChangesWarning } from "../options/index.js";
import { handsOn } from "./approvals/approvals.js";

/**
 * Warns if `canUseTool` is not asked about some tools that run commands or change files. There is no warning for a
 * callback that hands its questions on: `allowedTools` then says about what nobody wants to be asked.
 */
export function warnOfShadowedCallback(options: Options): void {
  const { canUseTool } = options;
  if (isMuted || (canUseTool !== undefined && handsOn(canUseTool))) return;
  const text = shadowedChangesWarning(options);
  if (text !== undefined) warnOnce(text, "HAWSER_CAN_USE_TOOL_SHADOWED", options.logger);
}

/**
 * Turns the warning off in this process. The command calls it, because its callback asks a person, and
 * `--allow Bash` says that this person does not want to be asked about Bash.
 */
export function muteShadowedCallback(): void {
  isMuted = true;
}

let isMuted = false;

/** Warns of an inherited API key that is used in place of a login: the key's owner pays, unasked. */
export function warnOfKey(answer: unknown, { apiKey, env }: Options, log: Logger): void {
  const { overridesLogin, source = "" } = credentialOf(answer);
  if (!overridesLogin || apiKey !== undefined || env?.[source] !== undefined) return;
  log.warn("an inherited API key is used in place of the login", {
    source,
    hint: `Unset it, or pass \`env: { ${source}: undefined }\`, to use the login.`,
  });
}

/** Warns of an agent that the CLI does not know: the CLI says nothing, and answers as its own agent. */
export function warnOfUnknownAgent(
  answer: unknown,
  { agent, trustProject, logger }: Options,
  log: Logger,
): void {
  const listed = getPath(answer, "agents");
  if (agent === undefined || !Array.isArray(listed)) return;
  const agents = listed.map((each) => getPath(each, "name"));
  if (agents.includes(agent)) return;
  if (trustProject !== false) {
    log.warn("the CLI does not know the agent, so its default agent answers", { agent, agents });
    return;
  }
  const hint = "Agents of the project need trustProject: true.";
  log.warn("the CLI does not know the agent, so its default agent answers", {
    agent,
    agents,
    hint,
  });
  // The agent may be meant as a restriction, so a program without a logger is warned as well.
  if (logger === undefined)
    warnOnce(`The CLI does not know the agent ${agent}, so its default agent answers. ${hint}`);
}

/** Which credential the CLI uses, never its value. */
export interface CredentialInfo {
  readonly kind: "apiKey" | "oauthToken" | "authToken" | "login" | "unknown";
  /** The variable or store that holds the credential, as the CLI names it. */
  readonly source: string | undefined;
  /** Whether there is also a login, which is not used. */
  readonly overridesLogin: boolean;
}

/** The credential that the CLI named in its answer to initialize. */
export function credentialOf(answer: unknown): CredentialInfo {
  const key = nameIn(getPath(answer, "account", "apiKeySource"));
  const token = nameIn(getPath(answer, "account", "tokenSource"));
  if (key !== undefined) {
    return { kind: "apiKey", source: key, overridesLogin: KINDS[token ?? ""] === "login" };
  }
  // If a login is the only credential, the CLI names nothing but its plan.
  const plan = nameIn(getPath(answer, "account", "subscriptionType"));
  const kind = token === undefined ? "unknown" : (KINDS[token] ?? "login");
  return {
    kind: token === undefined && plan !== undefined ? "login" : kind,
    source: token,
    overridesLogin: false,
  };
}

const KINDS: Readonly<Record<string, CredentialInfo["kind"]>> = {
  ANTHROPIC_AUTH_TOKEN: "authToken",
  CLAUDE_CODE_OAUTH_TOKEN: "oauthToken",
  "claude.ai": "login",
};

function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value !== "none" ? value : undefined;
}
