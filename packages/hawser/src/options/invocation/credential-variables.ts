/** The variables whose value is a credential for the API of Anthropic. */
export const KEY_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
] as const;

const [API_KEY, AUTH_TOKEN, OAUTH_TOKEN] = KEY_VARIABLES;

/**
 * The variables that log the CLI in, in its order: it names the first that is set as its source.
 */
export const LOGIN_VARIABLES: readonly string[] = [
  API_KEY,
  "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
  AUTH_TOKEN,
  OAUTH_TOKEN,
  "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
];

/**
 * The variables that make the CLI use a service with its own credentials, and the name of the
 * service.
 */
export const CLOUD_SERVICES: readonly (readonly [variable: string, service: string])[] = [
  ["CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"],
  ["CLAUDE_CODE_USE_VERTEX", "Google Vertex AI"],
  ["CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry"],
  ["CLAUDE_CODE_USE_ANTHROPIC_AWS", "the Claude platform on AWS"],
  ["CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "the Claude platform on Google Cloud"],
  ["CLAUDE_CODE_USE_MANTLE", "Amazon Bedrock Mantle"],
  ["CLAUDE_CODE_USE_GATEWAY", "a gateway"],
];

/** All variables whose value is a credential, those of the services too. */
export const CREDENTIAL_VARIABLES: readonly string[] = [
  ...KEY_VARIABLES,
  "ANTHROPIC_FOUNDRY_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_SECRET_ACCESS_KEY",
];
