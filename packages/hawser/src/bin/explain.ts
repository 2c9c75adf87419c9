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
  chat: { help: "Explain `hawser chat` instead of `hawser ask`" },
  schema: { value: "path", help: "JSON Schema for the answer, as for `hawser ask`" },
  ...CALL_FLAGS,
  shell: { help: "Print one command line to copy into a shell, with secrets as ***" },
  json: { help: "Print JSON" },
} as const satisfies Flags;

export const explain: Command = defineCommand({
  name: "explain",
  summary: "Show what ask or chat would run: arguments, environment, files",
  usage: ["[options of ask]", "--chat [options of chat]"],
  examples: [
    ["hawser explain", "Show what `hawser ask` runs"],
    ["hawser explain --agent --deny 'Bash(rm *)'", "See where a rule goes"],
    ["hawser explain --chat --model opus", "Show what `hawser chat` runs"],
    ["hawser explain --shell", "Print a line that starts the same by hand"],
    ["hawser explain --json | jq .command", "Print only the command, as JSON"],
  ],
  flags: FLAGS,
  notes: `hawser asks the CLI for its version and starts nothing else. It prints secrets as ***.
The prompt is not among the arguments, because hawser sends it on stdin. If stdin is a terminal,
an argument tells the CLI that you can be asked about tool calls.`,
  run: async ({ flags }) => {
    if (flags.shell && flags.json) throw usageError("Use --shell or --json, not both.");
    const terminal = new Terminal({ quiet: flags.json });
    const explained = await explainInvocation(withId(await optionsOf(flags, terminal)));
    const { chat, json, shell } = flags;
    if (json) terminal.writeLine(JSON.stringify({ entry: chat ? "chat" : "ask", ...explained }));
    else if (shell) {
      terminal.writeLine(shellLine(explained));
      const paths = explained.files.map(({ path }) => path).join(", ");
      if (paths !== "") terminal.note(`The line names files that only hawser creates: ${paths}`);
    } else terminal.write(textOf(explained));
    return 0;
  },
});

/** The options with which the explained command would start the CLI. */
async function optionsOf(flags: Given<typeof FLAGS>, terminal: Terminal): Promise<Options> {
  const given: Options = { includePartialMessages: true, ...callOptions(flags) };
  if (flags.chat || given.preset === "agent") {
    const cwd = given.cwd ?? currentFolder();
    given.trustProject ??= await isTrusted({ cwd, terminal, ask: undefined });
  }
  const asks = process.stdin.isTTY === true ? { canUseTool: NEVER_CALLED } : {};
  if (flags.chat) {
    if (flags.schema !== undefined) throw usageError("Use --schema or --chat, not both.");
    return { enableFileCheckpointing: true, ...given, ...asks };
  }
  const schema = flags.schema === undefined ? {} : { schema: schemaIn(flags.schema) };
  return (await leaseRequestFor("hawser ask", { ...given, ...asks, ...schema })).options;
}

/** Never called, because no CLI is started for a call. */
const NEVER_CALLED: CanUseTool = async () => ({ behavior: "deny", message: "Never called." });

/** Every session has an id from the start. */
function withId(options: Options): Options {
  return hasOwnSession(options) ? options : { ...options, sessionId: randomUUID() };
}

/** The call as one line for a shell: folder, variables, executable, arguments. */
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
  const { path, source, version = "unknown version" } = cli;
  const kept = environment.kept.length === 0 ? "none" : environment.kept.join(" ");
  return [
    `cli\n  ${path}, ${version} (${source === "usual_place" ? "usual place" : source})`,
    explanationText(explained),
    `variables passed on unchanged\n  ${kept}\n`,
  ].join("\n");
}
