import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, usageError } from "./command/flags.js";
import { loadPackage } from "./command/load-package.js";
import { databaseOf, type FleetPlace } from "./fleet/fleet-flags.js";

const FLAGS = {
  port: { short: "p", value: "n", help: "Port on 127.0.0.1 (default: 7429; 0 for a free one)" },
  open: { help: "Open the page in the browser" },
  "read-only": { help: "Print an address that may look, and not answer or stop" },
  "new-token": { help: "Make a new token: the addresses that were printed before are void" },
  "config-dir": {
    value: "folder",
    help: "Where the transcripts of the CLI are (default: ~/.claude)",
  },
  database: { value: "place", help: "Show a fleet, too: URL of a Postgres, or a folder" },
  json: { help: "Print the start message as JSON" },
} as const satisfies Flags;

export const inspect: Command = defineCommand({
  name: "inspect",
  summary: "Show sessions, questions and transcripts of this machine on a web page",
  usage: ["[options] [file…]"],
  examples: [
    ["hawser inspect", "Print the address of the page"],
    ["hawser inspect --open", "Open it in the browser"],
    ["hawser inspect --read-only", "An address for somebody who may only look"],
    ["hawser inspect session.cassette.jsonl", "Play a cassette or a transcript on a time line"],
    ["hawser inspect --database .hawser/fleet", "Show the runs and questions of a fleet, too"],
  ],
  flags: FLAGS,
  notes: `This command needs the package @hawser/inspector: npm install @hawser/inspector
Programs of yours that call inspector() appear on the page by themselves.
The page listens on 127.0.0.1 only. The address holds a token, which stays the same for a port: it
is made of a secret in $XDG_STATE_HOME/hawser/inspect-token (~/.local/state), which only you can
read. --database also needs Node 22.12 and the package @hawser/fleet.`,
  run: async ({ flags, words }) => {
    const port = portOf(flags.port);
    const { database } = flags;
    const inspector = await loadPackage<InspectorModule>({
      specifier: "@hawser/inspector/command",
      command: "hawser inspect",
    });
    return inspector.inspect({
      port,
      files: words,
      configDir: flags["config-dir"],
      fleet: database === undefined ? undefined : await openFleet(database),
      isReadOnly: flags["read-only"],
      isNewToken: flags["new-token"],
      opensBrowser: flags.open,
      isJson: flags.json,
      note: (text) => void process.stderr.write(`hawser: ${text}\n`),
    });
  },
});

const DEFAULT_PORT = 7429;

function portOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

async function openFleet(named: string): Promise<unknown> {
  const database = databaseOf("--database", named);
  const fleet = await loadPackage<FleetPackage>({
    specifier: "@hawser/fleet",
    command: "hawser inspect --database",
    leastNode: [22, 12],
  });
  // Somebody who looks must not create a database by accident.
  return fleet.openFleet({ database, migrate: false });
}

interface FleetPackage {
  openFleet(options: {
    readonly database: FleetPlace["database"];
    readonly migrate: false;
  }): Promise<unknown>;
}

/** The part of `@hawser/inspector/command` that this command uses. hawser does not depend on that package. */
interface InspectorModule {
  inspect(command: {
    readonly port: number;
    readonly files: readonly string[];
    readonly configDir: string | undefined;
    readonly fleet: unknown;
    readonly isReadOnly: boolean;
    readonly isNewToken: boolean;
    readonly opensBrowser: boolean;
    readonly isJson: boolean;
    readonly note: (text: string) => void;
  }): Promise<number>;
}
