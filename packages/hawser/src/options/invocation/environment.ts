import type { Options } from "../options.js";
import { CLOUD_SERVICES, LOGIN_VARIABLES } from "./credential-variables.js";
import { type Resolved, withDefaults } from "./default-options.js";
import type { HostFacts } from "./invocation.js";

/** Variables by name. On Windows `Path` and `PATH` are the same variable. */
export class EnvironmentDraft {
  readonly #values = new Map<string, { readonly name: string; readonly value: string }>();
  readonly #ignoresCase: boolean;

  constructor(platform: NodeJS.Platform) {
    this.#ignoresCase = platform === "win32";
  }

  get(name: string): string | undefined {
    return this.#values.get(this.#key(name))?.value;
  }

  set(name: string, value: string): void {
    this.#values.set(this.#key(name), { name, value });
  }

  remove(name: string): void {
    this.#values.delete(this.#key(name));
  }

  names(): string[] {
    return [...this.#values.values()].map(({ name }) => name);
  }

  toObject(): Record<string, string> {
    return Object.fromEntries([...this.#values.values()].map(({ name, value }) => [name, value]));
  }

  #key(name: string): string {
    return this.#ignoresCase ? name.toUpperCase() : name;
  }
}

/** The part of the CLI's environment that comes from the host and from the option `env`. */
export function environmentOf(options: Options, host: HostEnvironment): Record<string, string> {
  return startEnvironment(withDefaults(options), host).toObject();
}

type HostEnvironment = Pick<HostFacts, "env" | "platform" | "pwd">;

/** The child's environment before the rows of the table add to it. */
export function startEnvironment(options: Resolved, host: HostEnvironment): EnvironmentDraft {
  const env = inherited(options, host);
  if (options.nested !== "inherit") strip(env, isNested(host));
  env.remove("NODE_OPTIONS");
  dropOtherCredentials(env, options);
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) env.remove(name);
    else env.set(name, value);
  }
  followFolder(env, options, host);
  if (env.get("CLAUDE_CODE_ENTRYPOINT") === undefined) env.set("CLAUDE_CODE_ENTRYPOINT", "sdk-ts");
  env.set("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1");
  if (host.platform === "win32") env.set("NoDefaultCurrentDirectoryInExePath", "1");
  return env;
}

/**
 * The CLI passes PWD on to the programs that it starts, and does not correct it (observed: an MCP
 * server of 2.1.197 and 2.1.325 has the PWD that the CLI got). OLDPWD stays, because it claims
 * nothing about the folder.
 */
function followFolder(env: EnvironmentDraft, options: Resolved, host: HostEnvironment): void {
  if (host.pwd === undefined || host.platform === "win32" || setsPwd(options, host.env)) return;
  if (options.cwd !== undefined || env.get("PWD") !== undefined) env.set("PWD", host.pwd);
}

/**
 * Whether the caller set or removed PWD. A copy of this program's value does not count, because
 * `env: { ...process.env }` contains it.
 */
export function setsPwd({ env = {} }: Pick<Options, "env">, host: HostFacts["env"]): boolean {
  const { PWD } = env;
  return Object.hasOwn(env, "PWD") && (PWD === undefined || PWD !== host["PWD"]);
}

/**
 * Whether this program runs inside a session of the CLI. The variable counts even if it is empty.
 */
export function isNested(host: Pick<HostFacts, "env">): boolean {
  return host.env["CLAUDECODE"] !== undefined;
}

function inherited({ inheritEnv }: Resolved, host: HostEnvironment): EnvironmentDraft {
  const all = new EnvironmentDraft(host.platform);
  for (const [name, value] of Object.entries(host.env)) {
    if (value !== undefined) all.set(name, value);
  }
  if (inheritEnv === true) return all;
  const some = new EnvironmentDraft(host.platform);
  for (const name of inheritEnv === false ? [] : inheritEnv) {
    const value = all.get(name);
    if (value !== undefined) some.set(name, value);
  }
  return some;
}

/** Variables by which a session tells its children which session they belong to. */
const MARKERS = [
  "CLAUDECODE",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_PID",
];
const MARKER_PREFIX = "CLAUDE_CODE_MESSAGING_";

/** Variables that a user may set as well. Inside a session they come from that session. */
const NESTED_MARKERS = ["AI_AGENT", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_EFFORT"];

function strip(env: EnvironmentDraft, nested: boolean): void {
  for (const name of MARKERS) env.remove(name);
  for (const name of env.names()) {
    if (name.toUpperCase().startsWith(MARKER_PREFIX)) env.remove(name);
  }
  if (nested) for (const name of NESTED_MARKERS) env.remove(name);
}

/** Whether the environment names a credential, so that the CLI needs no stored login. */
export function namesCredential(env: EnvironmentDraft): boolean {
  return [...LOGIN_VARIABLES, ...CLOUD_SERVICES.map(([name]) => name)].some((name) =>
    env.get(name),
  );
}

/** Removes inherited credentials, because the CLI might prefer one of them to the given one. */
function dropOtherCredentials(env: EnvironmentDraft, { apiKey, oauthToken }: Resolved): void {
  if (apiKey === undefined && oauthToken === undefined) return;
  for (const name of LOGIN_VARIABLES) env.remove(name);
}
