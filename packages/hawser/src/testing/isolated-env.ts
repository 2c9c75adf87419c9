import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TemporaryFolder } from "../process/index.js";
import { refuseUnknownOptions } from "./refuse-unknown-options.js";

/** Options of `isolatedEnv()`. */
export interface IsolatedEnvOptions {
  /**
   * The base URL of the model, such as the `url` of a SimulatedModel.
   * @default an address on this machine where nothing listens
   */
  readonly baseUrl?: string;
  /**
   * The API key.
   * @default a dummy key; none with `oauthToken`, because the CLI would prefer the key
   */
  readonly apiKey?: string;
  /** Makes the CLI behave as with a subscription: it then reports usage limits. */
  readonly oauthToken?: string;
  /**
   * A folder for the configuration and the sessions, so that a later environment can resume them. It is
   * created if it is missing, and `dispose()` does not remove it.
   * @default a temporary folder, removed by `dispose()`
   */
  readonly configDir?: string;
  /** More variables. They override those of `isolatedEnv()`; undefined removes a variable. */
  readonly extra?: Readonly<Record<string, string | undefined>>;
}

/** An environment for the CLI that shares nothing with the user of this machine. */
export interface IsolatedEnv {
  /** The whole environment for the CLI. */
  readonly env: Record<string, string>;
  /** An empty working folder. */
  readonly cwd: string;
  /** The home folder (HOME). */
  readonly home: string;
  /** The folder of the CLI's configuration and sessions (CLAUDE_CONFIG_DIR). */
  readonly configDir: string;
  /** Removes the temporary folder, even if a CLI still writes to it. Close the CLI first, if you can. */
  dispose(): Promise<void>;
  /** Calls `dispose()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a temporary folder with a home, a configuration, a folder for temporary files and a working
 * folder, and the environment variables that keep a CLI inside. Of this process's variables only PATH
 * and LANG are passed on (on Windows also those without which no program starts). The CLI and its tools
 * reach only this machine: telemetry and updates are off, and requests to any other address go to a
 * proxy that does not exist.
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

/** Keeps an existing file, because the CLI may have changed it in an earlier environment. */
async function writeNew(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content), { flag: "wx", mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
}

/** A port where nothing listens, so that a request fails at once. */
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
  // Some programs read only the lower-case names. On Windows, names of variables have no case.
  ...(process.platform === "win32"
    ? {}
    : { http_proxy: NOWHERE, https_proxy: NOWHERE, no_proxy: LOOPBACK }),
};

/** Otherwise the WebFetch tool would ask a server of the vendor about each address. */
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
