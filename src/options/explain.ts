import { createMask } from "../errors/index.js";
import { buildInvocation } from "./build.js";
import type { CliFacts, HostFacts, Invocation } from "./invocation.js";
import type { Options } from "./options.js";

/** What would be started, for people to read: every secret masked, long texts cut. */
export function explain(options: Options, cli: CliFacts, host: HostFacts): string {
  const invocation = buildInvocation(options, cli, host);
  const mask = createMask({ ...host.env, ...invocation.env }, invocation.secrets);
  const sections = [
    ["command", command(invocation)],
    ["cwd", invocation.cwd === undefined ? [] : [invocation.cwd]],
    ["environment", changes(invocation, host)],
    ["initialize", fields(invocation)],
    ["files", files(invocation)],
    ["warnings", invocation.warnings],
  ] as const;
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${cut(mask(line))}`)].join("\n"));
  return text.join("\n");
}

function command({ file, argv }: Invocation): string[] {
  return [file, ...argv].map((token) =>
    /^[\w@%+=:,./\\-]+$/.test(token) ? token : JSON.stringify(token),
  );
}

/** Only what differs from this program's own environment. */
function changes({ env }: Invocation, host: HostFacts): string[] {
  const added = Object.keys(env).filter((name) => env[name] !== host.env[name]);
  const gone = Object.keys(host.env).filter((name) => !Object.hasOwn(env, name));
  return [
    ...added.sort().map((name) => `${name}=${env[name]}`),
    ...(gone.length > FEW
      ? [`${gone.length} variables of this program are not passed on`]
      : gone.sort().map((name) => `${name} is removed`)),
  ];
}

function fields({ initialize }: Invocation): string[] {
  const all = Object.entries(initialize).filter(([name]) => name !== "subtype");
  return all.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

function files({ files }: Invocation): string[] {
  return files.map(({ path, contents, keepUntil }) => {
    const when = keepUntil === "exit" ? "the process has ended" : "the CLI has read it";
    return `${path}: ${Buffer.byteLength(contents)} bytes, kept until ${when}`;
  });
}

const FEW = 8;
const LONGEST = 200;

function cut(line: string): string {
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}… (${line.length} characters)`;
}
