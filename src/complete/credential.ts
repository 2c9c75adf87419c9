import { fieldOf } from "../session/index.js";
import type { CredentialInfo } from "./completion.js";

/** The credential that the CLI named in its answer to initialize. */
export function credentialOf(answer: unknown): CredentialInfo {
  const key = text(fieldOf(answer, "account", "apiKeySource"));
  const token = text(fieldOf(answer, "account", "tokenSource"));
  if (key !== undefined) return { kind: "apiKey", source: key };
  if (token === undefined) return { kind: "unknown", source: undefined };
  return { kind: token === "CLAUDE_CODE_OAUTH_TOKEN" ? "oauthToken" : "login", source: token };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value !== "none" ? value : undefined;
}
