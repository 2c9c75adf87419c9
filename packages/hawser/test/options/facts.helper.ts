import {
  buildInvocation,
  type CliFacts,
  type HostFacts,
  type Invocation,
  type Options,
} from "../../src/options/index.js";

export const NEWEST: CliFacts = { path: "/usr/bin/claude", version: [2, 1, 325] };
export const OLDER: CliFacts = { path: "/usr/bin/claude", version: [2, 1, 197] };

export const HOST: HostFacts = {
  env: { PATH: "/usr/bin", HOME: "/home/me" },
  platform: "linux",
  execPath: "/usr/bin/node",
  privateDir: "/tmp/hawser-1",
};

export const FIXED = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

const MODE = "--permission-mode=default";

const BASE_ENV: Readonly<Record<string, string>> = {
  PATH: "/usr/bin",
  HOME: "/home/me",
  CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
  CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
};

/** What options add to an invocation that was given none. */
export interface Added {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly initialize?: object;
  readonly files?: Readonly<Record<string, unknown>>;
}

/** Everything that differs from the invocation of no options. */
export function added(options: Options, cli: CliFacts = NEWEST, host: HostFacts = HOST): Added {
  return addedBy(buildInvocation(options, cli, host));
}

export function addedBy({ argv, env, initialize, files }: Invocation): Added {
  const flags = argv.slice(FIXED.length).filter((token) => token !== MODE);
  const variables = [...new Set([...Object.keys(env), ...Object.keys(BASE_ENV)])]
    .filter((name) => env[name] !== BASE_ENV[name])
    .map((name) => [name, env[name]]);
  const { subtype: _, ...fields } = initialize;
  const contents = files.map(({ path, contents: text }) => [path, readable(text)]);
  return {
    ...(flags.length === 0 ? {} : { flags }),
    ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
    ...(Object.keys(fields).length === 0 ? {} : { initialize: fields }),
    ...(contents.length === 0 ? {} : { files: Object.fromEntries(contents) }),
  };
}

function readable(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text) : text;
}
