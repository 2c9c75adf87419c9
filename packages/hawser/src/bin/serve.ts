import type { HawserError } from "../base/index.js";
import type { Options } from "../options/index.js";
import { shutdown } from "../process/index.js";
import type { OfflineWorld } from "../testing/index.js";
import { CALL_FLAGS } from "./command/call-flags.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { loadPackage } from "./command/load-package.js";
import { databaseOf, type FleetPlace } from "./fleet/fleet-flags.js";
import { describeWorld, loadOfflineWorld } from "./offline/load-offline-world.js";
import { columns } from "./terminal/columns.js";

const FLAGS = {
  config: {
    value: "file",
    help: "Configuration file (default: hawser.config.json, .js, .mjs or .ts here)",
  },
  host: { value: "address", help: "Address to listen on (default: 127.0.0.1)" },
  port: { short: "p", value: "n", help: "Port to listen on (default: 8787; 0 for a free one)" },
  database: {
    value: "place",
    help: "Fleet: URL of a Postgres, or a folder (default: as configured)",
  },
  inspect: { help: "Serve a page at /inspect/ that shows and controls what runs" },
  cli: CALL_FLAGS.cli,
  offline: { help: "Use a simulated model: no account, no network" },
  json: { help: "Print the start message, and the results of keys, as JSON" },
} as const satisfies Flags;

export const serve: Command = defineCommand({
  name: "serve",
  summary: "Serve the Anthropic and OpenAI APIs with Claude Code behind them",
  usage: ["[options]", "keys add <tenant>", "keys list", "keys remove <id>"],
  examples: [
    ["hawser serve --offline", "Try it without an account"],
    ["hawser serve --port 9000", "Serve programs of this machine, without keys"],
    ["hawser serve keys add alice", "Create a key for a tenant; it is printed once"],
    ["hawser serve --config gateway.json", "Use another configuration file"],
    ["hawser serve --database .hawser/fleet", "Serve the runs and questions of a fleet, too"],
    ["hawser serve --inspect", "Serve a page that shows sessions, questions and requests, too"],
  ],
  flags: FLAGS,
  notes: `This command needs the package @hawser/gateway: npm install @hawser/gateway
--inspect also needs @hawser/inspector. If the server has keys, open the page with one of them; a
tenant with \`admin\` in the configuration sees all tenants (docs/gateway.md).
To accept other machines (--host), create keys for them with \`serve keys add\`, and set an API key
for the CLI: a personal login serves only one tenant, on this machine.
After SIGTERM or Ctrl-C, the server finishes running requests and then stops; a second signal stops
it at once. SIGHUP reads the configuration and the keys again. The access log goes to stdout as JSON
lines, without prompts.
Warning: serve runs hawser.config.js, .mjs or .ts of this folder as a program. Use it only in a
folder that you trust.`,
  run: async ({ flags, words: [verb, ...words] }) => {
    const gateway = await loadPackage<GatewayModule>(GATEWAY);
    if (verb === "keys") return keys(gateway, flags, words);
    if (verb !== undefined) {
      throw usageError(
        `Unexpected argument ${JSON.stringify(verb)}.`,
        "See `hawser serve --help`.",
      );
    }
    return listen(gateway, flags);
  },
});

const GATEWAY = { specifier: "@hawser/gateway/serve", command: "hawser serve" };

type ServeFlags = Given<typeof FLAGS>;

async function listen(gateway: GatewayModule, flags: ServeFlags): Promise<number> {
  const world = flags.offline ? await loadOfflineWorld({ cliPath: flags.cli }) : undefined;
  try {
    const server = await gateway.serve({
      config: flags.config,
      host: flags.host,
      port: portOf(flags.port),
      options: optionsOf(world, flags),
      isSimulated: world !== undefined,
      database: flags.database === undefined ? undefined : databaseOf("--database", flags.database),
      openFleet,
      inspect: flags.inspect ? (await loadInspector()).inspectGateway : undefined,
      warn,
    });
    if (world !== undefined) warn(describeWorld(world));
    if (flags.json) {
      process.stdout.write(`${JSON.stringify({ event: "listening", ...server.report })}\n`);
    } else process.stderr.write(gateway.describeStart(server.report));
    return await gateway.handleSignals(server, warn);
  } finally {
    await shutdown();
    // The model reports requests that it could not answer; for a server this is no failure.
    await world?.dispose().catch(() => {});
  }
}

/** Loaded only for a server with a page. */
function loadInspector(): Promise<InspectorModule> {
  return loadPackage<InspectorModule>({
    specifier: "@hawser/inspector/command",
    command: "hawser serve --inspect",
  });
}

/** Loaded only for a server with a fleet. */
async function openFleet(database: FleetPlace["database"]): Promise<unknown> {
  const fleet = await loadPackage<FleetPackage>({
    specifier: "@hawser/fleet",
    command: "hawser serve with a fleet",
    leastNode: [22, 12],
  });
  return fleet.openFleet({ database });
}

interface FleetPackage {
  openFleet(options: { readonly database: FleetPlace["database"] }): Promise<unknown>;
}

function optionsOf(world: OfflineWorld | undefined, { cli }: ServeFlags): Options {
  return world?.options ?? (cli === undefined ? {} : { cliPath: cli });
}

async function keys(
  gateway: GatewayModule,
  flags: ServeFlags,
  [verb, ...words]: readonly string[],
): Promise<number> {
  const manager = await gateway.openKeys({ config: flags.config });
  const [word, extra] = words;
  const print = (value: object, text: string) => {
    process.stdout.write(flags.json ? `${JSON.stringify(value)}\n` : text);
    return 0;
  };
  if (extra !== undefined) throw keysUsage(`Unexpected argument ${JSON.stringify(extra)}.`);
  if (verb === "list" && word === undefined) {
    const all = manager.list().map(({ id, tenant, createdAt }) => ({ id, tenant, createdAt }));
    const rows = all.map(({ id, tenant, createdAt }) => [`${id}  ${tenant}`, createdAt] as const);
    const text =
      all.length === 0 ? `There are no keys in ${manager.file}.\n` : `${columns(rows)}\n`;
    return print({ file: manager.file, keys: all }, text);
  }
  if (verb === "add" && word !== undefined) {
    const created = await manager.add(word);
    if (!flags.json) {
      warn(
        `created ${created.id} for tenant ${word}; the key is shown only now, its hash is in ${created.file}`,
      );
      warn("A server that runs reads it after SIGHUP.");
    }
    return print(created, `${created.key}\n`);
  }
  if (verb === "remove" && word !== undefined) {
    const { id, tenant } = await manager.remove(word);
    if (!flags.json) warn("A server that runs accepts the key until it gets SIGHUP.");
    return print({ removed: { id, tenant } }, `Removed ${id} of tenant ${tenant}.\n`);
  }
  throw keysUsage("Use `keys add <tenant>`, `keys list` or `keys remove <id>`.");
}

function keysUsage(message: string): HawserError {
  return usageError(message, "See `hawser serve --help`.");
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

function warn(text: string): void {
  process.stderr.write(`hawser: ${text}\n`);
}

/** The part of `@hawser/gateway/serve` that this command uses. hawser does not depend on that package. */
interface GatewayModule {
  serve(options: {
    readonly config: string | undefined;
    readonly host: string | undefined;
    readonly port: number | undefined;
    readonly options: Options;
    readonly isSimulated: boolean;
    readonly database: FleetPlace["database"] | undefined;
    readonly openFleet: (database: FleetPlace["database"]) => Promise<unknown>;
    readonly inspect: InspectorModule["inspectGateway"] | undefined;
    readonly warn: (text: string) => void;
  }): Promise<GatewayServer>;
  handleSignals(server: GatewayServer, note: (text: string) => void): Promise<number>;
  describeStart(report: object): string;
  openKeys(place: { readonly config: string | undefined }): Promise<GatewayKeys>;
}

/** The part of `@hawser/inspector/command` that this command uses: it hands it from one package to the other. */
interface InspectorModule {
  readonly inspectGateway: (gateway: never) => unknown;
}

interface GatewayServer {
  readonly report: object;
}

interface GatewayKeys {
  readonly file: string;
  add(tenant: string): Promise<{ id: string; key: string; file: string }>;
  list(): readonly { id: string; tenant: string; createdAt: string }[];
  remove(id: string): Promise<{ id: string; tenant: string }>;
}
