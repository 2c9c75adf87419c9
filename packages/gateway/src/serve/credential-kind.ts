import type { Options } from "hawser";

/** Which kind of credential the CLI will use, as far as options and environment tell. */
export type CredentialKind =
  | "api_key"
  | "auth_token"
  | "cloud"
  | "setup_token"
  | "login"
  | "simulated";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The kind of credential of calls with these options. Only options and environment are looked at, in the order of
 * the CLI. What the CLI itself has stored is never read: if nothing else is set, the CLI uses its own login.
 */
export function credentialKindOf(options: Options, environment: Variables): CredentialKind {
  if (options.apiKey !== undefined) return keyKind(options.apiKey);
  if (options.oauthToken !== undefined) return "setup_token";
  const env: Variables = { ...inherited(options, environment), ...options.env };
  const isSet = (name: string) => (env[name] ?? "") !== "";
  if (CLOUD_VARIABLES.some((name) => isSet(name) && !/^(0|false)$/i.test(env[name] ?? ""))) {
    return "cloud";
  }
  if (isSet("ANTHROPIC_API_KEY")) return keyKind(env["ANTHROPIC_API_KEY"] ?? "");
  if (isSet("CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR")) return "api_key";
  if (isSet("ANTHROPIC_AUTH_TOKEN")) {
    return isOauthToken(env["ANTHROPIC_AUTH_TOKEN"] ?? "") ? "setup_token" : "auth_token";
  }
  if (isSet("CLAUDE_CODE_OAUTH_TOKEN")) return "setup_token";
  if (isSet("CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR")) return "setup_token";
  return "login";
}

/** The kind in words, for the start message. */
export const CREDENTIAL_WORDS: Readonly<Record<CredentialKind, string>> = {
  api_key: "an API key",
  auth_token: "a bearer token (ANTHROPIC_AUTH_TOKEN)",
  cloud: "the credential of a cloud service",
  setup_token: "a setup token (OAuth)",
  login: "the login of the CLI",
  simulated: "none (simulated model)",
};

const CLOUD_VARIABLES = [
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
  "CLAUDE_CODE_USE_ANTHROPIC_AWS",
  "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
  "CLAUDE_CODE_USE_MANTLE",
  "CLAUDE_CODE_USE_GATEWAY",
];

function inherited({ inheritEnv = true }: Options, environment: Variables): Variables {
  if (inheritEnv === true) return environment;
  if (inheritEnv === false) return {};
  return Object.fromEntries(inheritEnv.map((name) => [name, environment[name]]));
}

function keyKind(key: string): CredentialKind {
  return isOauthToken(key) ? "setup_token" : "api_key";
}

/** An OAuth token that was set in the place of a key is still one. */
function isOauthToken(value: string): boolean {
  return /^sk-ant-o[ar]t/.test(value);
}
