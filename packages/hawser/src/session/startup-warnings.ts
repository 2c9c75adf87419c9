import { getPath, type Logger } from "../base/index.js";
import type { Options } from "../options/index.js";

/** Which credential the CLI uses, never its value. */
export interface CredentialInfo {
  readonly kind: "apiKey" | "oauthToken" | "authToken" | "login" | "unknown";
  /** The variable or store it came from, in the CLI's own words. */
  readonly source: string | undefined;
  /** Whether there is a login, too, which is not used. */
  readonly overridesLogin: boolean;
}

/** The credential that the CLI named in its answer to initialize. */
export function credentialOf(answer: unknown): CredentialInfo {
  const key = name(getPath(answer, "account", "apiKeySource"));
  const token = name(getPath(answer, "account", "tokenSource"));
  if (key !== undefined) {
    return { kind: "apiKey", source: key, overridesLogin: KINDS[token ?? ""] === "login" };
  }
  // Of a login that is the only credential, the CLI tells no more than the plan.
  const plan = name(getPath(answer, "account", "subscriptionType"));
  const kind = token === undefined ? "unknown" : (KINDS[token] ?? "login");
  return {
    kind: token === undefined && plan !== undefined ? "login" : kind,
    source: token,
    overridesLogin: false,
  };
}

/** A key that happens to be in the environment is paid for by somebody who may not know. */
export function warnOfKey(answer: unknown, { apiKey, env }: Options, log: Logger): void {
  const { overridesLogin, source = "" } = credentialOf(answer);
  if (!overridesLogin || apiKey !== undefined || env?.[source] !== undefined) return;
  log.warn("an inherited API key is used in place of the login", {
    source,
    hint: `Unset it, or pass \`env: { ${source}: undefined }\`, to use the login.`,
  });
}

const KINDS: Readonly<Record<string, CredentialInfo["kind"]>> = {
  ANTHROPIC_AUTH_TOKEN: "authToken",
  CLAUDE_CODE_OAUTH_TOKEN: "oauthToken",
  "claude.ai": "login",
};

function name(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value !== "none" ? value : undefined;
}
