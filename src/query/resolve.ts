import type { Environment } from "../errors/index.js";
import {
  given,
  OPTION_TABLE,
  type Options,
  validateOptions,
  withPreset,
} from "../options/index.js";

/** The options of `query()`, where the official SDK means something else by what is not given. */
export function resolveQueryOptions(options: Options = {}): Options {
  const known = withPreset(given(withoutUnknown(options)));
  validateOptions(known);
  const { env, inheritEnv, systemPrompt, strictMcpConfig, retry, stderr } = known;
  return {
    ...known,
    // There it hears text as it comes, line ends included.
    ...(stderr === undefined ? {} : { stderr: (line: string) => stderr(`${line}\n`) }),
    // Given, it replaces the environment.
    ...(env !== undefined && inheritEnv === undefined ? { inheritEnv: false } : {}),
    ...(systemPrompt === undefined ? { systemPrompt: "" } : {}),
    ...(strictMcpConfig === undefined ? { strictMcpConfig: false } : {}),
    ...(retry === undefined && !limitsRetries(env) ? { retry: { cliRetries: CLI_RETRIES } } : {}),
  };
}

/** As often as the CLI does by itself. */
const CLI_RETRIES = 10;

function limitsRetries(env: Environment = process.env): boolean {
  return env["CLAUDE_CODE_MAX_RETRIES"] !== undefined;
}

/** A name that nobody knows is passed over there; here it is at least told. */
function withoutUnknown(options: Options): Options {
  const known = Object.entries(options).filter(([name]) => Object.hasOwn(OPTION_TABLE, name));
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(OPTION_TABLE, name));
  if (unknown.length > 0) options.logger?.warn("options that are not known", { names: unknown });
  return Object.fromEntries(known);
}
