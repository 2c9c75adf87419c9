import { createMask, maskDeep } from "../../base/index.js";
import type { Options } from "../options.js";
import { buildInvocation } from "./build-invocation.js";
import type { CliFacts, HostFacts, Initialize, Invocation, PrivateFile } from "./invocation.js";

/** What a call would start, with every secret masked. */
export interface Explanation {
  /** The executable and its arguments. */
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly environment: EnvironmentChanges;
  /** The first request to the CLI. */
  readonly initialize: Initialize;
  readonly files: readonly ExplainedFile[];
  readonly warnings: readonly string[];
}

/** How the environment of the CLI differs from your program's. */
export interface EnvironmentChanges {
  /** Variables that your program does not have, or has with another value. */
  readonly set: Readonly<Record<string, string>>;
  /** Names of your program's variables that are not passed on. */
  readonly removed: readonly string[];
  /** Names of your program's variables that are passed on unchanged. */
  readonly kept: readonly string[];
}

/** A file that would be written, without its contents. */
export interface ExplainedFile extends Pick<PrivateFile, "path" | "keepUntil"> {
  readonly bytes: number;
}

/** What a call would start, as data. */
export function explainInvocation(options: Options, cli: CliFacts, host: HostFacts): Explanation {
  const invocation = buildInvocation(options, cli, host);
  const mask = createMask({ ...host.env, ...invocation.env }, invocation.secrets);
  const { file, argv, cwd, initialize, files, warnings } = invocation;
  const explained: Explanation = {
    command: [file, ...argv],
    ...(cwd === undefined ? {} : { cwd }),
    environment: changes(invocation, host),
    initialize,
    files: files.map(({ path, contents, keepUntil }) => {
      return { path, bytes: Buffer.byteLength(contents), keepUntil };
    }),
    warnings,
  };
  return maskDeep(explained, mask) as Explanation;
}

/** What a call would start, as text for people, with long values cut. */
export function explain(options: Options, cli: CliFacts, host: HostFacts): string {
  return explanationText(explainInvocation(options, cli, host));
}

export function explanationText(explanation: Explanation): string {
  const { command, cwd, environment, initialize, files, warnings } = explanation;
  const sections = [
    ["command", command.map(quoted)],
    ["cwd", cwd === undefined ? [] : [cwd]],
    ["environment", environmentLines(environment)],
    ["initialize", fields(initialize)],
    ["files", files.map(fileLine)],
    ["warnings", warnings],
  ] as const;
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${cut(line)}`)].join("\n"));
  return text.join("\n");
}

function changes({ env }: Invocation, host: HostFacts): EnvironmentChanges {
  const names = Object.keys(env).sort();
  const isKept = (name: string) => env[name] === host.env[name];
  const set = names.filter((name) => !isKept(name)).map((name) => [name, env[name]]);
  return {
    set: Object.fromEntries(set),
    removed: Object.keys(host.env)
      .filter((name) => host.env[name] !== undefined && !Object.hasOwn(env, name))
      .sort(),
    kept: names.filter(isKept),
  };
}

function quoted(token: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(token) ? token : JSON.stringify(token);
}

/** Shows only the differences from this program's own environment. */
function environmentLines({ set, removed }: EnvironmentChanges): string[] {
  return [
    ...Object.entries(set).map(([name, value]) => `${name}=${value}`),
    ...(removed.length > FEW
      ? [`${removed.length} variables of this program are not passed on`]
      : removed.map((name) => `${name} is removed`)),
  ];
}

function fields(initialize: Initialize): string[] {
  const all = Object.entries(initialize).filter(([name]) => name !== "subtype");
  return all.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

function fileLine({ path, bytes, keepUntil }: ExplainedFile): string {
  const when = keepUntil === "exit" ? "the process has ended" : "the CLI has read it";
  return `${path}: ${bytes} bytes, kept until ${when}`;
}

const FEW = 8;
const LONGEST = 200;

function cut(line: string): string {
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}… (${line.length} characters)`;
}
