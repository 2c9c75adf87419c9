import { isLoopbackHost } from "../http/loopback.js";
import { CREDENTIAL_WORDS, type CredentialKind } from "./credential-kind.js";

/** What the rules depend on. */
export interface Use {
  /** The host to listen on. */
  readonly host: string;
  readonly hasKeys: boolean;
  /** The tenants, each with the credentials of its calls. */
  readonly tenants: readonly {
    readonly name: string;
    readonly credentials: readonly CredentialKind[];
  }[];
}

/** A rule that the configuration breaks. */
export interface Refusal {
  readonly rule: "keys_needed" | "personal_credential_shared" | "personal_credential_exposed";
  readonly message: string;
  readonly hint: string;
}

/**
 * The rules of use: beyond loopback only with keys; the login of the CLI and setup tokens only for one tenant on
 * loopback, because they are for the ordinary use of the subscriber. Returns every rule that is broken.
 */
export function rulesOfUse({ host, hasKeys, tenants }: Use): Refusal[] {
  const isExposed = !isLoopbackHost(host);
  const refusals: Refusal[] = [];
  if (isExposed && !hasKeys) {
    refusals.push({
      rule: "keys_needed",
      message: `The server would listen on ${host}, beyond this machine, without keys.`,
      hint: "Create a key with `hawser serve keys add <tenant>`, or listen on 127.0.0.1.",
    });
  }
  for (const { name, credentials } of tenants) {
    const personal = credentials.find((kind) => kind === "login" || kind === "setup_token");
    if (personal === undefined) continue;
    const words = CREDENTIAL_WORDS[personal];
    if (isExposed) {
      refusals.push({
        rule: "personal_credential_exposed",
        message: `The server would listen on ${host}, beyond this machine, and tenant "${name}" would use ${words}.`,
        hint: HINT,
      });
    } else if (tenants.length > 1) {
      refusals.push({
        rule: "personal_credential_shared",
        message: `There are ${tenants.length} tenants, and tenant "${name}" would use ${words}.`,
        hint: HINT,
      });
    }
  }
  return refusals;
}

const HINT =
  "A login or setup token is for its own user only. Give each tenant an API key with apiKeyEnv, or set ANTHROPIC_API_KEY.";
