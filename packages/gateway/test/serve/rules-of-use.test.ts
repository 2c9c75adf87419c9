import { describe, expect, it } from "vitest";
import { isLoopbackHost } from "../../src/http/loopback.js";
import { type CredentialKind, credentialKindOf } from "../../src/serve/credential-kind.js";
import { rulesOfUse } from "../../src/serve/rules-of-use.js";

const PERSONAL: readonly CredentialKind[] = ["login", "setup_token"];
const OTHERS: readonly CredentialKind[] = ["api_key", "auth_token", "cloud", "simulated"];

describe("rulesOfUse()", () => {
  const rows = [...PERSONAL, ...OTHERS].flatMap((kind) =>
    ["127.0.0.1", "0.0.0.0"].flatMap((host) =>
      [false, true].flatMap((hasKeys) => [1, 2].map((count) => ({ kind, host, hasKeys, count }))),
    ),
  );

  it.each(rows)(
    "$kind on $host, keys: $hasKeys, $count tenants",
    ({ kind, host, hasKeys, count }) => {
      const names = ["alice", "bob"].slice(0, count);
      const tenants = names.map((name) => ({ name, credentials: [kind] }));
      const isExposed = host !== "127.0.0.1";
      const personal = isExposed ? "personal_credential_exposed" : "personal_credential_shared";
      const isPersonal = PERSONAL.includes(kind) && (isExposed || count > 1);
      expect(rulesOfUse({ host, hasKeys, tenants }).map(({ rule }) => rule)).toEqual([
        ...(isExposed && !hasKeys ? ["keys_needed"] : []),
        ...(isPersonal ? names.map(() => personal) : []),
      ]);
    },
  );

  it("looks at the credentials of agents too, and names the tenant", () => {
    const tenants = [
      { name: "alice", credentials: ["api_key"] as const },
      { name: "bob", credentials: ["api_key", "setup_token"] as const },
    ];
    const [refusal, ...others] = rulesOfUse({ host: "::1", hasKeys: true, tenants });
    expect(others).toEqual([]);
    expect(refusal?.message).toContain('tenant "bob" would use a setup token');
    expect(refusal?.hint).toContain("apiKeyEnv");
  });
});

describe("credentialKindOf()", () => {
  it.each([
    ["nothing", {}, {}, "login"],
    ["an API key in the environment", {}, { ANTHROPIC_API_KEY: "sk-ant-api03-x" }, "api_key"],
    ["an empty variable", {}, { ANTHROPIC_API_KEY: "" }, "login"],
    ["a setup token", {}, { CLAUDE_CODE_OAUTH_TOKEN: "x" }, "setup_token"],
    [
      "a setup token by descriptor",
      {},
      { CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR: "3" },
      "setup_token",
    ],
    [
      "a setup token in the place of a key",
      {},
      { ANTHROPIC_API_KEY: "sk-ant-oat01-x" },
      "setup_token",
    ],
    [
      "a setup token as a bearer token",
      {},
      { ANTHROPIC_AUTH_TOKEN: "sk-ant-oat01-x" },
      "setup_token",
    ],
    ["a bearer token", {}, { ANTHROPIC_AUTH_TOKEN: "x" }, "auth_token"],
    [
      "a key beside a setup token",
      {},
      { ANTHROPIC_API_KEY: "k", CLAUDE_CODE_OAUTH_TOKEN: "x" },
      "api_key",
    ],
    ["a cloud service", {}, { CLAUDE_CODE_USE_BEDROCK: "1" }, "cloud"],
    ["a cloud service that is off", {}, { CLAUDE_CODE_USE_BEDROCK: "0" }, "login"],
    ["the option apiKey", { apiKey: "k" }, { CLAUDE_CODE_OAUTH_TOKEN: "x" }, "api_key"],
    ["a setup token as apiKey", { apiKey: "sk-ant-oat01-x" }, {}, "setup_token"],
    ["the option oauthToken", { oauthToken: "x" }, { ANTHROPIC_API_KEY: "k" }, "setup_token"],
    ["the option env", { env: { ANTHROPIC_API_KEY: "k" } }, {}, "api_key"],
    [
      "an environment that is not inherited",
      { inheritEnv: false },
      { ANTHROPIC_API_KEY: "k" },
      "login",
    ],
    [
      "a list of inherited variables",
      { inheritEnv: ["PATH"] },
      { ANTHROPIC_API_KEY: "k" },
      "login",
    ],
  ] as const)("tells the kind of %s", (_, options, env, kind) => {
    const { inheritEnv, ...rest } = { inheritEnv: undefined, ...options };
    const list = typeof inheritEnv === "object" ? [...inheritEnv] : inheritEnv;
    expect(credentialKindOf({ ...rest, inheritEnv: list }, env)).toBe(kind);
  });
});

describe("isLoopbackHost()", () => {
  it.each([
    "127.0.0.1",
    "127.8.9.1",
    "::1",
    "[::1]",
    "localhost",
    "LOCALHOST",
    "a.localhost",
    "::ffff:127.0.0.1",
  ])("is true for %s", (host) => expect(isLoopbackHost(host)).toBe(true));

  it.each([
    "0.0.0.0",
    "::",
    "",
    "10.0.0.1",
    "127.0.0.1.example.org",
    "localhost.example.org",
    "128.0.0.1",
  ])("is false for %j", (host) => expect(isLoopbackHost(host)).toBe(false));
});
