import { ERROR_CODES, type ErrorCode, type HawserError } from "../base/index.js";
import { OPTION_TABLE } from "../options/index.js";
import { FLAG_OF } from "./call-flags.js";

/** An error of the library in the words of the command. */
export interface CommandWords {
  readonly message: string;
  readonly hint: string;
}

/** What happened, and what the person can do about it, by the flags that the command has. */
export function inCommandWords(error: HawserError): CommandWords {
  const { doctor } = ADVICE[error.code];
  const hint = commandHint(error);
  // An error that says what to do about itself needs no examination.
  const isGeneral = hint === ADVICE[error.code].hint && doctor !== undefined;
  return { message: commandMessage(error), hint: isGeneral ? `${hint} ${doctor}` : hint };
}

/** Like the hint of `inCommandWords()`, but without the advice to run `hawser doctor`. */
export function commandHint({ code, hint }: HawserError): string {
  const { hint: general } = ADVICE[code];
  if (hint === ERROR_CODES[code].hint) return general;
  const told = hint.replace(/`([A-Za-z.]+)`/g, (whole, name: string) => flagFor(name) ?? whole);
  // The rest would be about functions or options of the library, which a person cannot use here.
  return [...told.matchAll(/`([A-Za-z]+)([^`]*)`/g)].some(isOfLibrary) ? general : told;
}

/** The message with the flag in place of the option that it is about. */
export function commandMessage({ code, message, issues = [] }: HawserError): string {
  const own = code === "auth" ? message.replace(LOGIN_COMMAND, "") : message;
  if (issues.length === 0) return own;
  // Names of options that are words of the language stay, unless the issue is about them.
  const [, ...others] = /contradicts (\w+)(?: and (\w+))?/.exec(own) ?? [];
  const about = new Set([...issues.map(({ path = "" }) => path.split(/[.[]/, 1)[0]), ...others]);
  return own.replaceAll(/(?<![\w-])([a-z]\w*)(?:\[\d+\])?(?!\w)/g, (word, name: string) =>
    about.has(name) || /[A-Z]/.test(name) ? (flagFor(name) ?? word) : word,
  );
}

/** The CLI's advice to a person at its own prompt: there is no such command here. */
const LOGIN_COMMAND = /\s*·\s*(?:please )?run \/login.*$/i;

function flagFor(name: string): string | undefined {
  const flag = Object.hasOwn(FLAG_OF, name) ? FLAG_OF[name as keyof typeof FLAG_OF] : undefined;
  return flag === undefined ? undefined : `--${flag}`;
}

function isOfLibrary([, name = "", rest = ""]: RegExpMatchArray): boolean {
  // Names of tools begin with a capital letter, so that `Bash(…)` is a rule.
  const isFunction = /^[a-z]/.test(name) && /^[\w.]*\(/.test(rest);
  return isFunction || Object.hasOwn(OPTION_TABLE, name);
}

interface Advice {
  readonly hint: string;
  /** What `hawser doctor` can add. Not for the doctor itself. */
  readonly doctor?: string;
}

/** What a person can do about each failure, where the place that threw knows nothing more exact. */
export const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  cli_not_found: {
    hint: "Install it with `npm install -g @anthropic-ai/claude-code`, or name it by --cli or HAWSER_CLI.",
    doctor: "`hawser doctor` says where it was looked for.",
  },
  cli_not_runnable: {
    hint: "Check that the file is the CLI, and executable on this platform; install the CLI again if it is a stub.",
    doctor: "`hawser doctor` says what is there.",
  },
  unsupported_by_cli: {
    hint: "Update the CLI with `claude update` or npm, or leave out the option that is named.",
  },
  not_supported: { hint: "See `hawser --help` for what there is." },
  invalid_options: { hint: "See `hawser --help` for the options and their values." },
  argument_too_long: {
    hint: "Shorten the value of the option; a prompt may be of any length.",
  },
  cwd_not_found: { hint: "Create the folder, or correct --cwd." },
  root_refused: {
    hint: "Choose another --mode, or run it as another user; in a container that is a sandbox, set IS_SANDBOX=1.",
  },
  nested_session: { hint: "Unset CLAUDECODE." },
  spawn_failed: {
    hint: "The operating system did not start the process; the message says why.",
    doctor: "`hawser doctor` looks at folders, disks and limits.",
  },
  process_exited: { hint: "Try again.", doctor: "`hawser doctor --live` makes one small call." },
  closed: { hint: "Start the command again." },
  already_consumed: { hint: "Start the command again." },
  protocol_error: {
    hint: "Set HAWSER_TRACE=file, run it again, and report the file with the CLI's version.",
  },
  message_too_large: { hint: "Ask for less at once." },
  control_error: { hint: "The message is the CLI's own." },
  timeout: {
    hint: "Try again; `hawser ask --timeout 20m` gives a call more time.",
    doctor: "`hawser doctor` looks for causes.",
  },
  aborted: { hint: "Nothing to do: you stopped it." },
  auth: {
    hint: "Run `claude` and log in, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN.",
    doctor: "`hawser doctor` says which credential is seen.",
  },
  billing: { hint: "Check the account's credit and its billing settings." },
  rate_limited: { hint: "Wait a minute, then try again." },
  usage_limit: { hint: "Wait until the limit is reset, or use another account." },
  overloaded: { hint: "Try again later." },
  api_error: {
    hint: "Check the network, the proxy and ANTHROPIC_BASE_URL, then try again.",
    doctor: "`hawser doctor` says what stands between the CLI and the model.",
  },
  model_not_found: { hint: "Correct --model." },
  prompt_too_long: {
    hint: "Shorten the prompt, or choose a model with a larger context by --model.",
  },
  max_output_tokens: {
    hint: "Ask for a shorter answer, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
  },
  refusal: { hint: "Change the prompt." },
  max_turns: { hint: "Raise --max-turns." },
  max_budget: { hint: "Raise --budget." },
  structured_output: { hint: "Simplify the schema or the task." },
  session_not_found: {
    hint: "`hawser sessions --all` lists the sessions. Each belongs to the folder that it was begun in: `hawser sessions resume` goes there.",
  },
  session_in_use: { hint: "Go on with it by --resume." },
  mcp_failed: { hint: "Correct the server in the file that --mcp names." },
  pool_closed: { hint: "Start the command again." },
  pool_full: { hint: "Try again later." },
  budget_refused: { hint: "Raise --budget." },
  storage_failed: { hint: "The operating system refused it; the message says why." },
};
