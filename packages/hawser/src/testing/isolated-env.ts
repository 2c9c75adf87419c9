import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TemporaryFolder } from "../process/index.js";
import { refuseUnknownOptions } from "./refuse-unknown-options.js";

/** What the environment is to hold. */
export interface IsolatedEnvOptions {
  /** Where the model is: the `url` of a SimulatedModel. */
  readonly baseUrl?: string;
  /** A dummy by default; absent when `oauthToken` is given, because the CLI would prefer the key. */
  readonly apiKey?: string;
  /** Makes the CLI believe that it runs on a subscription: it then reports usage limits. */
  readonly oauthToken?: string;
  /**
   * A folder for the configuration and the sessions that is to outlive this world, so that a later
   * one can resume them. It is made if it is missing, and `dispose()` leaves it alone.
   */
  readonly configDir?: string;
  /** More variables, which win over ours; undefined removes one. */
  readonly extra?: Readonly<Record<string, string | undefined>>;
}

/** A world for one CLI: nothing of the machine's user is in it, and nothing of it stays. */
export interface IsolatedEnv {
  /** The whole environment for the CLI. */
  readonly env: Record<string, string>;
  /** An empty folder to work in. */
  readonly cwd: string;
  readonly home: string;
  readonly configDir: string;
  /** Removes the folder, even if a CLI is still writing to it. Close the CLI first all the same. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a fresh folder with a home, a configuration, a place for temporary files and a working
 * folder, and the environment that keeps a CLI in there: of this process's variables only PATH and
 * LANG are passed on (and on Windows those without which no program starts). Nothing but this machine
 * is reachable: telemetry and updates are off, and every other address goes to a proxy that is not
 * there, for the CLI's tools as well.
 *
 * @example
 * ```ts
 * await using model = await SimulatedModel.start({ replies: ["Hello."] });
 * await using world = await isolatedEnv({ baseUrl: model.url });
 * const { text } = await complete("Greet me.", { env: world.env, inheritEnv: false, cwd: world.cwd });
 * ```
 */
export async function isolatedEnv(options: IsolatedEnvOptions = {}): Promise<IsolatedEnv> {
  refuseUnknownOptions("isolatedEnv()", options, OPTIONS);
  const folder = new TemporaryFolder(0o700);
  const root = folder.path;
  const home = join(root, "home");
  const configDir = options.configDir ?? join(home, ".claude");
  const cwd = join(root, "work");
  const temp = join(root, "tmp");
  const apiKey = options.apiKey ?? (options.oauthToken === undefined ? "dummy-api-key" : undefined);

  // Not recursive, because that would make the folder again after a signal has removed it.
  await mkdir(home);
  if (options.configDir === undefined) await mkdir(configDir);
  else await mkdir(configDir, { recursive: true, mode: 0o700 });
  await mkdir(cwd);
  await mkdir(temp);
  await writeNew(join(configDir, ".claude.json"), settledConfig(cwd, apiKey));
  await writeNew(join(configDir, "settings.json"), SETTINGS);

  const env = defined({
    ...inherited(),
    ...homeVariables(home, temp),
    CLAUDE_CONFIG_DIR: configDir,
    ANTHROPIC_BASE_URL: options.baseUrl ?? NOWHERE,
    ANTHROPIC_API_KEY: apiKey,
    CLAUDE_CODE_OAUTH_TOKEN: options.oauthToken,
    ...OFFLINE,
    ...options.extra,
  });
  const dispose = () => folder.remove();
  return { env, cwd, home, configDir, dispose, [Symbol.asyncDispose]: dispose };
}

const OPTIONS = {
  baseUrl: true,
  apiKey: true,
  oauthToken: true,
  configDir: true,
  extra: true,
} satisfies Record<keyof IsolatedEnvOptions, true>;

/** A configuration that outlives its world has these files already, and the CLI has changed them. */
async function writeNew(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content), { flag: "wx", mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
}

/** A port that nothing listens on: what is sent there fails at once. */
const NOWHERE = "http://127.0.0.1:9";

const LOOPBACK = "127.0.0.1,localhost,::1";

const OFFLINE: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  NO_PROXY: LOOPBACK,
  // Names of variables have no case on Windows; elsewhere some programs look for these only.
  ...(process.platform === "win32"
    ? {}
    : { http_proxy: NOWHERE, https_proxy: NOWHERE, no_proxy: LOOPBACK }),
};

/** The WebFetch tool would ask a server of the vendor about each address. */
const SETTINGS = { skipWebFetchPreflight: true };

/** The state of a user who has answered the questions of the first start. */
function settledConfig(cwd: string, apiKey: string | undefined): Record<string, unknown> {
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    bypassPermissionsModeAccepted: true,
    // The CLI keeps the last 20 characters of the keys that the user agreed to.
    customApiKeyResponses: {
      approved: apiKey === undefined ? [] : [apiKey.slice(-20)],
      rejected: [],
    },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
}

const NEEDED_ON_WINDOWS = [
  "SystemRoot",
  "SystemDrive",
  "windir",
  "ComSpec",
  "PATHEXT",
  "ProgramFiles",
  "ProgramFiles(x86)",
  "ProgramData",
  "NUMBER_OF_PROCESSORS",
  "PROCESSOR_ARCHITECTURE",
];

function inherited(): Record<string, string | undefined> {
  const names = ["PATH", "LANG", ...(process.platform === "win32" ? NEEDED_ON_WINDOWS : [])];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function homeVariables(home: string, temp: string): Record<string, string> {
  if (process.platform !== "win32") return { HOME: home, TMPDIR: temp };
  return {
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, "AppData", "Roaming"),
    LOCALAPPDATA: join(home, "AppData", "Local"),
    TEMP: temp,
    TMP: temp,
  };
}

function defined(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(variables);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
