import { randomUUID } from "node:crypto";
import { leaseRequestFor } from "../complete/index.js";
import { type CanUseTool, explanationText, type Options } from "../options/index.js";
import { currentFolder, type ExplainedCall, explainInvocation } from "../process/index.js";
import { hasOwnSession } from "../session/index.js";
import { CALL_FLAGS, callOptions, schemaIn } from "./command/call-flags.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { quoteForShell } from "./command/quote-for-shell.js";
import { Terminal } from "./terminal/terminal.js";
import { isTrusted } from "./trust/is-trusted.js";

const FLAGS = {
  chat: { help: "what `hawser chat` would start, not `hawser ask`" },
  schema: { value: "path", help: "as of `hawser ask`: JSON Schema that the answer must fit" },
  ...CALL_FLAGS,
  shell: { help: "one command line, to copy into a shell; secrets are *** in it" },
  json: { help: "for a program to read" },
} as const satisfies Flags;

export const explain: Command = defineCommand({
  name: "explain",
  summary: "shows what would be run: arguments, environment, files",
  usage: ["[options of ask]", "--chat [options of chat]"],
  examples: [
    ["hawser explain", "what `hawser ask` starts"],
    ["hawser explain --agent --deny 'Bash(rm *)'", "where a rule goes"],
    ["hawser explain --chat --model opus", "what `hawser chat` starts"],
    ["hawser explain --shell", "one line that starts the same by hand"],
    ["hawser explain --json | jq .command", "for a program"],
  ],
  flags: FLAGS,
  notes: `The CLI is asked for its version, and nothing else is started. Secrets are shown as ***. A prompt
is never an argument: it is sent on the input. Where a person can be asked about tools, the CLI is told so.`,
  run: async ({ flags }) => {
    if (flags.shell && flags.json) throw usageError("--shell and --json are two ways to say it.");
    const terminal = new Terminal({ quiet: flags.json });
    const explained = await explainInvocation(withId(await optionsOf(flags, terminal)));
    const { chat, json, shell } = flags;
    if (json) terminal.writeLine(JSON.stringify({ entry: chat ? "chat" : "ask", ...explained }));
    else if (shell) {
      terminal.writeLine(shellLine(explained));
      const paths = explained.files.map(({ path }) => path).join(", ");
      if (paths !== "") terminal.note(`Only hawser makes the files that it names: ${paths}`);
    } else terminal.write(textOf(explained));
    return 0;
  },
});

/** The options that the command itself would start with. */
async function optionsOf(flags: Given<typeof FLAGS>, terminal: Terminal): Promise<Options> {
  const given: Options = { includePartialMessages: true, ...callOptions(flags) };
  if (flags.chat || given.preset === "agent") {
    const cwd = given.cwd ?? currentFolder();
    given.trustProject ??= await isTrusted({ cwd, terminal, ask: undefined });
  }
  const asks = process.stdin.isTTY === true ? { canUseTool: NOBODY_ASKS } : {};
  if (flags.chat) {
    if (flags.schema !== undefined) throw usageError("--schema does not go with --chat.");
    return { enableFileCheckpointing: true, ...given, ...asks };
  }
  const schema = flags.schema === undefined ? {} : { schema: schemaIn(flags.schema) };
  return (await leaseRequestFor("hawser ask", { ...given, ...asks, ...schema })).options;
}

/** Never called: nothing is started. */
const NOBODY_ASKS: CanUseTool = async () => ({ behavior: "deny", message: "Nobody is asked." });

/** Every session has an id from the start. */
function withId(options: Options): Options {
  return hasOwnSession(options) ? options : { ...options, sessionId: randomUUID() };
}

/** The whole call as a shell starts it: folder, variables, executable, arguments. */
function shellLine({ command, cwd, environment }: ExplainedCall): string {
  const { set, removed } = environment;
  const variables = [
    ...removed.map((name) => `-u ${name}`),
    ...Object.entries(set).map(([name, value]) => `${name}=${quoteForShell(value)}`),
  ];
  return [
    ...(cwd === undefined ? [] : [`cd ${quoteForShell(cwd)} &&`]),
    ...(variables.length === 0 ? [] : ["env", ...variables]),
    ...command.map(quoteForShell),
  ].join(" ");
}

function textOf(explained: ExplainedCall): string {
  const { cli, environment } = explained;
  const { path, source, version = "of an unknown version" } = cli;
  const kept = environment.kept.length === 0 ? "none" : environment.kept.join(" ");
  return [
    `cli\n  ${path}, ${version} (${source === "usual_place" ? "usual place" : source})`,
    explanationText(explained),
    `variables passed on as they are\n  ${kept}\n`,
  ].join("\n");
}
