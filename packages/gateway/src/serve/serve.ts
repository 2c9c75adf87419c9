import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { checkCli, HawserError, type Options } from "hawser";
import { findConfig, type LoadedConfig, loadConfig } from "../config/load-config.js";
import type { GatewayFleet } from "../fleet/gateway-fleet.js";
import { createGateway, type Gateway, type GatewaySettings } from "../gateway.js";
import { accessLine } from "../http/access-log.js";
import { isLoopbackHost } from "../http/loopback.js";
import type { Readiness } from "../http/operation-routes.js";
import { FileLedger } from "../tenants/spending-ledger.js";
import { type RegistryPlan, TenantRegistry } from "../tenants/tenant-registry.js";
import { createHttpServer } from "./create-http-server.js";
import { errorForLog, textOf } from "./error-text.js";
import type { FleetDatabase } from "./fleet-database.js";
import { type GatewayPage, type InspectedGateway, isForPage } from "./gateway-page.js";
import { needsRestart } from "./needs-restart.js";
import { Pools } from "./pools.js";
import { planOf, type ServePlan, type Surroundings } from "./serve-plan.js";
import { type StartReport, startReport } from "./start-report.js";

/** The options of `serve()`. All of them are optional. */
export interface ServeOptions {
  /** The configuration file. @default the file `hawser.config.*` in `cwd`, if there is one */
  readonly config?: string | undefined;
  /** @default the current directory */
  readonly cwd?: string | undefined;
  /** The host to listen on, in place of the configuration's. */
  readonly host?: string | undefined;
  /** The port to listen on, in place of the configuration's. */
  readonly port?: number | undefined;
  /** Options of all calls, under those of the tenants. */
  readonly options?: Options | undefined;
  /** Whether `options` lead to a simulated model, so that no credential is used. @default false */
  readonly isSimulated?: boolean | undefined;
  /** The database of the fleet, in place of the configuration's. */
  readonly database?: FleetDatabase | undefined;
  /**
   * Opens the fleet of the server. It is closed with the server. Needed if the configuration or `database` names a
   * fleet: `openFleet: (database) => openFleet({ database })` with the function of `@hawser/fleet`.
   */
  readonly openFleet?: ((database: FleetDatabase) => Promise<OpenedFleet>) | undefined;
  /**
   * Makes the page that is served below `/inspect/`: the function `inspectGateway` of `@hawser/inspector/command`.
   * @default there is no page
   */
  readonly inspect?: ((gateway: InspectedGateway) => GatewayPage) | undefined;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Gets the lines of the access log. @default stdout */
  readonly writeLog?: ((line: string) => void) | undefined;
  /** Gets warnings and errors of the server, each one line or more. @default stderr */
  readonly warn?: ((text: string) => void) | undefined;
}

/** A fleet that belongs to the server. */
export type OpenedFleet = GatewayFleet & { close(): Promise<void> };

/** A server that listens. */
export interface RunningServer {
  readonly report: StartReport;
  readonly port: number;
  /** Reads the configuration again. Resolves to whether it is in effect; a bad one changes nothing. */
  reload(): Promise<boolean>;
  /**
   * Refuses new requests, lets the running ones and the turns of the native API end, and then ends all processes.
   * What still runs after `drainMs` is cut off.
   */
  drain(): Promise<void>;
  /** Cuts off all requests and ends all processes. */
  close(): Promise<void>;
  /** Resolves when the server has ended. */
  readonly ended: Promise<void>;
}

/**
 * Listens. Throws `invalid_options` if the configuration is not valid, or if the rules of use forbid it.
 *
 * @example
 * ```ts
 * import { serve } from "@hawser/gateway/serve";
 *
 * const server = await serve({ port: 0 });
 * console.log(server.report.url);
 * await server.drain();
 * ```
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const cwd = options.cwd ?? process.cwd();
  const surroundings: Surroundings = {
    env: options.env ?? process.env,
    options: options.options ?? {},
    isSimulated: options.isSimulated ?? false,
    host: options.host,
    port: options.port,
    database: options.database,
  };
  const file = findConfig(cwd, options.config);
  const loaded = await loadConfig(file, cwd);
  const plan = planOf(loaded, surroundings);
  const fleet = await openFleetOf(plan, options);
  const server = await newServer(fleet, plan, loaded, surroundings, {
    writeLog: options.writeLog ?? ((line) => void process.stdout.write(line)),
    warn: options.warn ?? ((text) => void process.stderr.write(`hawser: ${text}\n`)),
    load: () => loadConfig(file, cwd),
    inspect: options.inspect,
  });
  await server.listen();
  return server;
}

async function openFleetOf(
  { database }: ServePlan,
  { openFleet }: ServeOptions,
): Promise<OpenedFleet | undefined> {
  if (database === undefined) return undefined;
  if (openFleet !== undefined) return openFleet(database);
  throw new HawserError("invalid_options", "The configuration names a fleet.", {
    hint: "Pass `openFleet` to `serve()`: `(database) => openFleet({ database })` of @hawser/fleet.",
  });
}

/** Closes the fleet if the server cannot be made, for example because an agent has a mistake. */
async function newServer(
  fleet: OpenedFleet | undefined,
  ...facts: [ServePlan, LoadedConfig, Surroundings, ServerHooks]
): Promise<GatewayServer> {
  try {
    return new GatewayServer(fleet, ...facts);
  } catch (error) {
    await fleet?.close();
    throw error;
  }
}

interface ServerHooks {
  readonly writeLog: (line: string) => void;
  readonly warn: (text: string) => void;
  load(): Promise<LoadedConfig>;
  readonly inspect: ServeOptions["inspect"];
}

class GatewayServer implements RunningServer {
  readonly ended: Promise<void>;
  readonly #surroundings: Surroundings;
  readonly #hooks: ServerHooks;
  readonly #pools: Pools;
  readonly #fleet: OpenedFleet | undefined;
  readonly #registry: TenantRegistry;
  readonly #gateway: Gateway;
  readonly #page: GatewayPage | undefined;
  readonly #server: Server;
  readonly #file: string | undefined;
  #plan: ServePlan;
  #url = "";
  #port = 0;
  #isDraining = false;
  #isClosing = false;
  #reloads: Promise<unknown> = Promise.resolve();
  #checked: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  #warnedOf: string | undefined;
  #drained: Promise<void> | undefined;
  #end: () => void = () => {};

  constructor(
    fleet: OpenedFleet | undefined,
    plan: ServePlan,
    { file }: LoadedConfig,
    surroundings: Surroundings,
    hooks: ServerHooks,
  ) {
    this.#fleet = fleet;
    this.#plan = plan;
    this.#file = file;
    this.#surroundings = surroundings;
    this.#hooks = hooks;
    this.#pools = new Pools(plan.config.pool ?? {});
    const ledger = new FileLedger(plan.stateDir, (error) =>
      hooks.warn(`The spending of a tenant could not be written: ${textOf(error)}`),
    );
    this.#registry = new TenantRegistry(this.#withPools(plan), ledger);
    this.#gateway = createGateway({
      ...this.#settingsOf(plan),
      pool: this.#pools.main,
      fleet,
      tenants: this.#registry,
    });
    const { allowedHosts } = plan.config;
    this.#page = hooks.inspect?.({
      fetch: (request) => this.#gateway.fetch(request),
      needsKey: this.#registry.needsKey,
      keyHashes: () => this.#registry.keyHashes,
      hosts: isLoopbackHost(plan.host) ? (allowedHosts ?? []) : allowedHosts,
    });
    this.#server = createHttpServer(plan.config.listen ?? {}, (each) => this.#answer(each));
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get port(): number {
    return this.#port;
  }

  get report(): StartReport {
    const report = startReport(this.#plan, this.#url, this.#file);
    return this.#page === undefined ? report : { ...report, inspect: this.#pageUrl(this.#page) };
  }

  async listen(): Promise<void> {
    const { host, port, warnings } = this.#plan;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once("error", reject);
        this.#server.listen(port, host, () => {
          this.#server.off("error", reject);
          resolve();
        });
      });
    } catch (error) {
      await this.close();
      throw cannotListen(host, port, error);
    }
    const { address, port: bound } = this.#server.address() as AddressInfo;
    if (isLoopbackHost(host) && !isLoopbackHost(address)) {
      await this.close();
      throw notLoopback(host, address);
    }
    this.#port = bound;
    const name = host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host;
    this.#url = `http://${name}:${this.#port}`;
    for (const warning of warnings) this.#hooks.warn(warning);
  }

  reload(): Promise<boolean> {
    const reload = this.#reloads.then(() => this.#reload());
    this.#reloads = reload;
    return reload;
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async close(): Promise<void> {
    this.#isDraining = true;
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    await this.#gateway.close();
    this.#page?.close();
    this.#server.closeIdleConnections();
    // The last events of the streams need a moment to be sent.
    await Promise.race([closed, sleep(LAST_EVENTS_MS, undefined, { ref: false })]);
    this.#server.closeAllConnections();
    await this.#pools.close();
    await this.#fleet?.close();
    this.#end();
  }

  #answer(request: Request): Promise<Response> {
    return this.#page !== undefined && isForPage(request)
      ? this.#page.fetch(request)
      : this.#gateway.fetch(request);
  }

  #pageUrl({ token }: GatewayPage): string {
    return `${this.#url}/inspect/${token === undefined ? "" : `#token=${token}`}`;
  }

  async #reload(): Promise<boolean> {
    const { warn } = this.#hooks;
    try {
      // The rules of use are about the address that is listened on, which a reload cannot change.
      const { host, port } = this.#plan;
      const loaded = await this.#hooks.load();
      const { needsKey } = this.#registry;
      const next = planOf(loaded, { ...this.#surroundings, host, port, needsKey });
      for (const text of [...next.warnings, ...needsRestart(this.#plan, next)]) warn(text);
      // First, because it refuses agents that cannot run here.
      this.#gateway.change(this.#settingsOf(next));
      this.#registry.change(this.#withPools(next));
      this.#plan = next;
      warn("The configuration was reloaded.");
      return true;
    } catch (error) {
      warn(`The configuration was not reloaded, so the old one stays. ${textOf(error)}`);
      return false;
    }
  }

  /** Waits for requests, and for turns of the native API that no request waits for. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    const { drainMs = DRAIN_MS } = this.#plan.config;
    const until = Date.now() + drainMs;
    let isClosed = false;
    this.#server.close(() => {
      isClosed = true;
    });
    while (!isClosed || !this.#gateway.isIdle) {
      if (this.#isClosing) return this.ended;
      if (Date.now() > until) {
        this.#hooks.warn(`Requests or turns still run after ${drainMs} ms, so they are cut off.`);
        return this.close();
      }
      // Streams that only watch have no end of their own. They show how the last turns end.
      if (this.#gateway.isIdle) {
        this.#page?.close();
        this.#gateway.endSubscriptions();
      }
      // A connection that becomes idle after a request stays open for the next one, unless it is closed here.
      this.#server.closeIdleConnections();
      await sleep(SWEEP_MS);
    }
    await this.#gateway.close();
    await this.#pools.drain();
    await this.#fleet?.close();
    this.#end();
  }

  #settingsOf({ config, host, registry, agents }: ServePlan): GatewaySettings {
    const { writeLog, warn } = this.#hooks;
    const { allowedHosts, allowedOrigins, bodyLimit, bodyMemory, log } = config;
    const { countTokens, fetchUrls, heartbeatMs, hostedTools, strict } = config;
    return {
      ...{ models: registry.models, agents },
      ...{ countTokens, fetchUrls, heartbeatMs, hostedTools, strict },
      http: {
        isLoopback: isLoopbackHost(host),
        allowedHosts,
        allowedOrigins,
        bodyLimit,
        bodyMemory,
        ...(log === "off" ? {} : { log: (entry) => writeLog(accessLine(entry)) }),
        onError: (error, id) => warn(`${id}: ${errorForLog(error)}`),
        isDraining: () => this.#isDraining,
        readiness: () => this.#readiness(),
        pools: () => this.#pools.all(),
      },
    };
  }

  #withPools({ registry, tenants }: ServePlan): RegistryPlan {
    const isolations = new Map(tenants.map(({ name, isolation }) => [name, isolation]));
    return {
      ...registry,
      tenants: registry.tenants.map((tenant) => ({
        ...tenant,
        pool: this.#pools.for(isolations.get(tenant.name)),
      })),
    };
  }

  /** A process that runs is proof enough. Otherwise the CLI is asked, not more often than every few seconds. */
  #readiness(): Promise<Readiness> {
    const lives = this.#pools.all().some((pool) => {
      const { generic, initialized, recycled, serving, resetting } = pool.stats().processes;
      return generic + initialized + recycled + serving + resetting > 0;
    });
    if (lives) return Promise.resolve({ isReady: true });
    if (this.#checked === undefined || Date.now() - this.#checked.at > READINESS_MS) {
      this.#checked = { at: Date.now(), readiness: this.#askCli() };
    }
    return this.#checked.readiness;
  }

  async #askCli(): Promise<Readiness> {
    const { cliPath, env } = this.#surroundings.options;
    const { runnable, problem } = await checkCli({ cliPath, env });
    const detail = runnable ? undefined : problem?.message;
    // Once, because `/ready` shows it to admins only, and is asked all the time.
    if (detail !== undefined && detail !== this.#warnedOf) this.#hooks.warn(`Not ready: ${detail}`);
    this.#warnedOf = detail;
    return runnable ? { isReady: true } : { isReady: false, reason: "no_process", detail };
  }
}

const DRAIN_MS = 60_000;
const SWEEP_MS = 25;
const LAST_EVENTS_MS = 200;
const READINESS_MS = 5000;

function cannotListen(host: string, port: number, error: unknown): HawserError {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === "EADDRINUSE" ? "another program uses the port" : textOf(error);
  return new HawserError("invalid_options", `Cannot listen on ${host}:${port}: ${why}.`, {
    hint: "Choose another address with --host and --port.",
    cause: error,
  });
}

/** A name that looks like loopback was resolved to something else, so the rules of use were checked for nothing. */
function notLoopback(host: string, address: string): HawserError {
  return new HawserError("invalid_options", `${host} is ${address}, which is not loopback.`, {
    hint: "Listen on 127.0.0.1, or name the address itself.",
  });
}
