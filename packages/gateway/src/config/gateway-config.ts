import type { Isolation, Options, PoolOptions } from "hawser";
import type { AgentNotes } from "../agents/agent-cli-options.js";
import type { HostedTools } from "../body/hosted-tools.js";

/** The configuration of `hawser serve`: the file `hawser.config.json`, `.js`, `.mjs` or `.ts`. */
export interface GatewayConfig {
  /** The address to listen on. It is read once, at the start. */
  readonly listen?: ListenConfig | undefined;
  /** Names of models for clients with fixed names: `{ "gpt-5": "sonnet", "helper": "agent:helper" }`. */
  readonly models?: Readonly<Record<string, string>> | undefined;
  /** Agents that run on this server. A client uses one as the model `agent:<name>`. */
  readonly agents?: Readonly<Record<string, AgentConfig>> | undefined;
  /** The tenants that may use the gateway. Without them, every tenant of the keys file has the default rights. */
  readonly tenants?: Readonly<Record<string, TenantConfig>> | undefined;
  /** A fleet: agents can run on it, and the native API has its runs. It needs the package `@hawser/fleet`. */
  readonly fleet?: FleetConfig | undefined;
  /** The processes of the CLI. */
  readonly pool?: PoolConfig | undefined;
  /**
   * Whether images and documents that a client names by URL are fetched. Addresses of private networks never are.
   * @default false
   */
  readonly fetchUrls?: boolean | undefined;
  /**
   * Whether `POST /v1/messages/count_tokens` answers with an estimate.
   * @default false
   */
  readonly countTokens?: boolean | undefined;
  /**
   * What happens to tools that the servers of Anthropic or OpenAI run or define, such as web search: the request is
   * refused with 400, or they are left out and named in `x-hawser-ignored`.
   * @default "refuse"
   */
  readonly hostedTools?: HostedTools | undefined;
  /**
   * Whether a parameter without effect is refused with 400. Otherwise it is named in `x-hawser-ignored`.
   * @default false
   */
  readonly strict?: boolean | undefined;
  /**
   * The largest request body, in bytes.
   * @default 33_554_432 (32 MiB)
   */
  readonly bodyLimit?: number | undefined;
  /**
   * How many bytes of request bodies may be in memory at the same time. One tenant may use half of them.
   * @default 16 times `bodyLimit`
   */
  readonly bodyMemory?: number | undefined;
  /**
   * Names that clients may use in the header `Host`, without a port. A server on loopback accepts only names of
   * loopback by default, and a server on another address accepts every name.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Origins of web pages that may call the gateway, such as `https://app.example.org`.
   * @default []
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * The access log: JSON lines on stdout, or none.
   * @default "json"
   */
  readonly log?: "json" | "off" | undefined;
  /**
   * How often a stream without other events gets a sign of life, in milliseconds.
   * @default 15_000
   */
  readonly heartbeatMs?: number | undefined;
  /**
   * How long running requests may take to end after SIGTERM, in milliseconds.
   * @default 60_000
   */
  readonly drainMs?: number | undefined;
  /**
   * The file of the keys.
   * @default `hawser.keys.json` beside the configuration; without a configuration, a file in the user's folder
   */
  readonly keysFile?: string | undefined;
  /**
   * The folder for what each tenant has spent today.
   * @default a folder of the user for the state of programs
   */
  readonly stateDir?: string | undefined;
}

/** The database of a fleet. */
export interface FleetConfig {
  /**
   * The URL of a Postgres, or a folder with a Postgres of its own. Prefer `databaseEnv` for a URL with a password.
   * @default the variable HAWSER_DATABASE, or else the folder `.hawser/fleet` beside the configuration
   */
  readonly database?: string | undefined;
  /** The environment variable that holds the URL or the folder. */
  readonly databaseEnv?: string | undefined;
}

export interface ListenConfig {
  /** @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** 0 chooses a free port. @default 8787 */
  readonly port?: number | undefined;
  /** The largest number of open connections. @default 1024 */
  readonly maxConnections?: number | undefined;
  /** How long a client may take to send its headers, in milliseconds. @default 15_000 */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a client may take to send a whole request, in milliseconds. @default 120_000 */
  readonly requestTimeoutMs?: number | undefined;
}

/** An agent on this server: options of `hawser`, such as `cwd`, `allowedTools` and `permissionMode`. */
export interface AgentConfig extends Options, AgentNotes {}

/** Rights, limits and credential of a tenant. A limit that is left out does not apply. */
export interface TenantConfig {
  /** SHA-256 hashes of keys, as hexadecimal digits, beside the keys of the keys file. */
  readonly keys?: readonly string[] | undefined;
  /** The models that the tenant may use, by the names that clients send; `*` at the end matches any rest. */
  readonly models?: readonly string[] | undefined;
  /** The agents that the tenant may use. Without a list, it may use none if `models` is given, otherwise all. */
  readonly agents?: readonly string[] | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** US dollars in a day of UTC. */
  readonly usdPerDay?: number | undefined;
  /** Requests at the same time. */
  readonly concurrency?: number | undefined;
  /** The API key of this tenant's calls. Prefer `apiKeyEnv`. */
  readonly apiKey?: string | undefined;
  /** The environment variable that holds the API key of this tenant's calls. */
  readonly apiKeyEnv?: string | undefined;
  /** The configuration folder of the CLI. */
  readonly configDir?: string | undefined;
  /** The working directory of the CLI. */
  readonly cwd?: string | undefined;
  /** How this tenant's calls are kept apart. A tenant with its own value has a pool of its own. */
  readonly isolation?: Isolation | undefined;
  /** Whether the tenant may read `/metrics`, and sees the sessions and approvals of all tenants. @default false */
  readonly admin?: boolean | undefined;
  /** Whether the tenant may only look at sessions in the native API. @default false */
  readonly readOnly?: boolean | undefined;
}

/** Options of the pool; see the guide of the pool. */
export type PoolConfig = Pick<
  PoolOptions,
  | "size"
  | "concurrency"
  | "queueLimit"
  | "idleMs"
  | "maxJobs"
  | "maxRssMb"
  | "maxAgeMs"
  | "isolation"
>;
