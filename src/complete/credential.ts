import type { CredentialInfo } from "./completion.js";

/** The credential that the CLI named in its answer to initialize. */
export function credentialOf(answer: unknown): CredentialInfo {
  const account = field(answer, "account");
  const key = text(field(account, "apiKeySource"));
  const token = text(field(account, "tokenSource"));
  if (key !== undefined) return { kind: "apiKey", source: key };
  if (token === undefined) return { kind: "unknown", source: undefined };
  return { kind: token === "CLAUDE_CODE_OAUTH_TOKEN" ? "oauthToken" : "login", source: token };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value !== "none" ? value : undefined;
}
