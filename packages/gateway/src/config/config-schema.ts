import { z } from "zod";
import type { GatewayConfig } from "./gateway-config.js";

const count = z.int().positive();
const milliseconds = z.number().positive();
const text = z.string().min(1);
const isolation = z.enum(["auto", "process", "conversation"]);

/** Also the name in a file and in metrics, so it holds no spaces or quotes. */
const TENANT_NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;
const tenantName = z
  .string()
  .regex(
    TENANT_NAME,
    "a tenant's name has up to 64 letters, digits and . _ @ -, and begins with a letter or digit",
  );
const agentName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "an agent's name has up to 64 letters, digits and . _ -");
const sha256 = z
  .string()
  .regex(
    /^[0-9a-f]{64}$/i,
    "is not a SHA-256 hash of 64 hexadecimal digits; `hawser serve keys add` makes a key and stores its hash",
  );
const origin = z.string().refine(isOrigin, "is not an origin such as https://app.example.org");
const hostName = z
  .string()
  .regex(/^[^\s:/]+$|^\[[0-9a-f:.]+\]$/i, "is not the name of a host, without a port");

const tenant = z.strictObject({
  keys: z.array(sha256).optional(),
  models: z.array(text).optional(),
  agents: z.array(text).optional(),
  requestsPerMinute: count.optional(),
  tokensPerMinute: count.optional(),
  usdPerDay: z.number().positive().optional(),
  concurrency: count.optional(),
  apiKey: text.optional(),
  apiKeyEnv: text.optional(),
  configDir: text.optional(),
  cwd: text.optional(),
  isolation: isolation.optional(),
  admin: z.boolean().optional(),
  readOnly: z.boolean().optional(),
});

const pool = z.strictObject({
  size: z.strictObject({ min: z.int().min(0).optional(), max: count.optional() }).optional(),
  concurrency: count.optional(),
  queueLimit: z.int().min(0).optional(),
  idleMs: milliseconds.optional(),
  maxJobs: count.optional(),
  maxRssMb: z.number().positive().optional(),
  maxAgeMs: milliseconds.optional(),
  isolation: isolation.optional(),
});

const listen = z.strictObject({
  host: text.optional(),
  port: z.int().min(0).max(65_535).optional(),
  maxConnections: count.optional(),
  headersTimeoutMs: milliseconds.optional(),
  requestTimeoutMs: milliseconds.optional(),
});

/** The options of an agent are checked by `hawser` itself: checkConfig(). */
const agent = z.looseObject({
  description: z.string().optional(),
  runOn: z.enum(["pool", "fleet"]).optional(),
  profile: text.optional(),
  queue: text.optional(),
});

const fleet = z.strictObject({ database: text.optional(), databaseEnv: text.optional() });

/** The configuration as a schema. */
export const CONFIG_SCHEMA: z.ZodType<GatewayConfig> = z.strictObject({
  listen: listen.optional(),
  models: z.record(text, text).optional(),
  agents: z.record(agentName, agent).optional(),
  tenants: z.record(tenantName, tenant).optional(),
  fleet: fleet.optional(),
  pool: pool.optional(),
  fetchUrls: z.boolean().optional(),
  countTokens: z.boolean().optional(),
  hostedTools: z.enum(["refuse", "ignore"]).optional(),
  strict: z.boolean().optional(),
  bodyLimit: count.optional(),
  bodyMemory: count.optional(),
  allowedHosts: z.array(hostName).optional(),
  allowedOrigins: z.array(origin).optional(),
  log: z.enum(["json", "off"]).optional(),
  heartbeatMs: milliseconds.optional(),
  drainMs: milliseconds.optional(),
  keysFile: text.optional(),
  stateDir: text.optional(),
});

/** The name of a tenant that `hawser serve keys add` accepts. */
export function isTenantName(name: string): boolean {
  return TENANT_NAME.test(name);
}

function isOrigin(value: string): boolean {
  try {
    return new URL(value).origin === value;
  } catch {
    return false;
  }
}
