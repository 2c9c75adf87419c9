import { isHawserError, isObject, lazy, looksSecret } from "../../base/index.js";
import { applyExtraArgs } from "../apply/extra-args.js";
import { keepHooksInEffect } from "../apply/hooks.js";
import { applyRules } from "../apply/policy-rules.js";
import { applyRetries } from "../apply/retries.js";
import { applySettings } from "../apply/settings.js";
import { applyGitGuard } from "../apply/untrusted-project.js";
import type { Options } from "../options.js";
import { rowOf } from "../table/option-facts.js";
import { OPTION_NAMES } from "../table/option-table.js";
import { openGuards, uselessAllowances } from "../validate/open-guards.js";
import { validateOptions } from "../validate/validate-options.js";
import { commandOf, fits, leaks, tooLong } from "./command-line.js";
import { type Resolved, withDefaults } from "./default-options.js";
import type { Draft } from "./draft.js";
import { isNested, startEnvironment } from "./environment.js";
import type { CliFacts, HostFacts, Invocation } from "./invocation.js";
import { isInUse, keepSupported } from "./supported-options.js";
import { refusal } from "./version-gate.js";

/**
 * Turns options into the arguments, environment, files and first request that start the CLI. It is
 * pure: it reads only its arguments and changes none of them. Throws `HawserError` for options that
 * are not valid.
 */
export function buildInvocation(options: Options, cli: CliFacts, host: HostFacts): Invocation {
  return buildFromValid(readOptions(options), cli, host);
}

/**
 * Copies and validates options, so that the checked values are the used values, even with getters.
 * Throws `invalid_options`.
 */
export function readOptions(options: Options): Options {
  const copy = copyOf(options);
  validateOptions(copy);
  return copy;
}

/** Like `buildInvocation()`, for options that `readOptions()` returned. */
export function buildFromValid(options: Options, cli: CliFacts, host: HostFacts): Invocation {
  try {
    const resolved = withDefaults(options);
    if (resolved.nested === "error" && isNested(host)) throw refusal(host, "nested_session");
    const inline = draftOf(resolved, cli, host, false);
    if (fits(inline) && !leaks(inline)) return finish(inline);
    // Applying all rows a second time costs less than working out which of them to move.
    const compact = draftOf(resolved, cli, host, true);
    if (fits(compact)) return finish(compact);
    throw tooLong(compact);
  } catch (error) {
    if (isHawserError(error)) throw error;
    // For example a getter that throws, or a cyclic structure.
    throw refusal(host, "invalid_options", "The options cannot be read.", { cause: error });
  }
}

function copyOf(options: Options): Options {
  try {
    return isObject(options) ? { ...options } : options;
  } catch {
    // `validateOptions` reports the problem.
    return options;
  }
}

function draftOf(options: Resolved, cli: CliFacts, host: HostFacts, compact: boolean): Draft {
  const warnings: string[] = [];
  const draft: Draft = {
    options: keepSupported({ options, cli, host, warnings }),
    cli,
    host,
    compact,
    args: [],
    env: startEnvironment(options, host),
    initialize: { subtype: "initialize" },
    files: [],
    secrets: new Set(),
    warnings,
    permissions: { allow: [], deny: [], ask: [], directories: [] },
    expectedDenyRules: 0,
    expectsMode: false,
  };
  for (const name of OPTION_NAMES) {
    if (isInUse(draft.options, name)) rowOf(name).apply?.(draft, draft.options[name], name);
  }
  for (const step of AFTER_ALL_ROWS) step(draft);
  // Callers of `refuseOpenGuards` never get here with an open guard; `query()` only warns.
  for (const { path, message } of [...openGuards(options), ...uselessAllowances(options)]) {
    warnings.push(`${path} ${message}`);
  }
  if (cli.script !== true && options.executableArgs !== undefined) {
    warnings.push("executableArgs is ignored: this CLI is not a script and needs no runtime.");
  }
  return draft;
}

/**
 * The steps after all rows, in this order. They are not rows, because each step reads several
 * options, or has something to do if its option is not set.
 */
const AFTER_ALL_ROWS: readonly ((draft: Draft) => void)[] = [
  applyGitGuard,
  // The policy comes before the hooks that the row of `hooks` has registered.
  applyRules,
  keepHooksInEffect,
  applyRetries,
  // One `--settings` holds the settings, the sandbox, and the rules that the rows have collected.
  applySettings,
  // The caller's own flags are last on the command line.
  applyExtraArgs,
];

function finish(draft: Draft): Invocation {
  const { options, initialize, files, warnings, expectedDenyRules } = draft;
  const env = draft.env.toObject();
  const secretsOf = secretsLister(env, [...draft.secrets], [options.apiKey, options.oauthToken]);
  return {
    ...commandOf(draft),
    env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    initialize,
    files,
    get secrets() {
      return secretsOf();
    },
    warnings,
    expectedDenyRules,
    ...(draft.expectsMode ? { expectsMode: true } : {}),
  };
}

/** Lists the secrets when they are asked for, because a start without an error or a log needs none of them. */
function secretsLister(
  env: Readonly<Record<string, string>>,
  found: readonly string[],
  credentials: readonly (string | undefined)[],
): () => readonly string[] {
  return lazy(() => {
    const named = Object.entries(env).filter(([name, value]) => looksSecret(name, value));
    const given = credentials.filter((value) => value !== undefined);
    const values = new Set([...found, ...named.map(([, value]) => value), ...given]);
    return [...values].filter((value) => value !== "");
  });
}
