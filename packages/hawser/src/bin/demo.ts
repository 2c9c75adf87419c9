import { basename } from "node:path";
import { isHawserError, oneLine } from "../base/index.js";
import { complete } from "../complete/index.js";
import type { Options } from "../options/index.js";
import { createPool } from "../pool/index.js";
import { processes, shutdown, TemporaryFolder } from "../process/index.js";
import { openSession } from "../session/index.js";
import type { OfflineWorld } from "../testing/index.js";
import { CALL_FLAGS } from "./command/call-flags.js";
import { type Command, defineCommand } from "./command/define-command.js";
import type { Flags } from "./command/flags.js";
import { describeWorld, loadOfflineWorld } from "./offline/load-offline-world.js";
import { StreamingWrap } from "./terminal/streaming-wrap.js";
import { Terminal } from "./terminal/terminal.js";
import { wrapText } from "./terminal/wrap-text.js";
import { summaryLine } from "./turn/summary-line.js";
import { callDetails } from "./turn/tool-call-text.js";

const FLAGS = {
  cli: CALL_FLAGS.cli,
  offline: { help: "No effect: the demo is always offline" },
  json: { help: "Print only the figures, as one JSON object" },
} as const satisfies Flags;

export const demo: Command = defineCommand({
  name: "demo",
  summary: "Show what hawser does, in half a minute and without an account",
  usage: ["[options]"],
  examples: [["hawser demo", "Use the CLI that is found, or else a stand-in"]],
  flags: FLAGS,
  words: 0,
  run: async ({ flags }) => {
    const cliPath = flags.cli;
    const world = await loadOfflineWorld({ cliPath });
    const folder = new TemporaryFolder(0o700);
    let quick: OfflineWorld | undefined;
    try {
      // Only the CLI and hawser are timed. A model that takes time for each word would hide their part.
      quick = await loadOfflineWorld({ cliPath, wordMs: 0 });
      const cwd = folder.path;
      const tour = new Tour({ ...world.options, cwd }, { ...quick.options, cwd }, flags.json);
      const about = describeWorld(world);
      tour.say(about);
      const figures = await tour.walk();
      if (flags.json) process.stdout.write(`${JSON.stringify({ about, ...figures })}\n`);
      return 0;
    } finally {
      await shutdown();
      await folder.remove();
      await world.dispose();
      await quick?.dispose();
    }
  },
});

interface Figures {
  readonly coldMs: readonly number[];
  readonly warmMs: readonly number[];
  readonly processesLeft: number;
}

class Tour {
  readonly #options: Options;
  /** For calls that are timed. */
  readonly #quick: Options;
  readonly #isSilent: boolean;
  readonly #terminal: Terminal;

  constructor(options: Options, quick: Options, isSilent: boolean) {
    this.#options = options;
    this.#quick = quick;
    this.#isSilent = isSilent;
    this.#terminal = new Terminal({ quiet: isSilent });
  }

  async walk(): Promise<Figures> {
    await this.#answer();
    await this.#conversation();
    await this.#typed();
    const { coldMs, warmMs } = await this.#pool();
    await this.#failure();
    await shutdown();
    const processesLeft = processes().length;
    this.#heading("No process is left behind");
    this.say(`${processesLeft} processes`);
    return { coldMs, warmMs, processesLeft };
  }

  /** A remark on what was seen. */
  say(text: string): void {
    this.#lines(text, this.#terminal.outStyle.dim);
  }

  #lines(text: string, style = (line: string) => line): void {
    const rows = wrapText(text, this.#width - 2).split("\n");
    for (const row of rows) this.#write(`  ${style(row)}\n`);
  }

  get #width(): number {
    return process.stdout.columns || 80;
  }

  async #answer(): Promise<void> {
    this.#heading("One answer: complete()");
    const prompt = "What is a hawser?";
    this.#prompt(prompt);
    const completion = await complete(prompt, this.#options);
    this.#lines(`< ${completion.text}`);
    this.say(summaryLine({ ...completion, totalMs: completion.timing.totalMs }));
  }

  async #conversation(): Promise<void> {
    this.#heading("A conversation: live text, a tool, a permission: openSession()");
    let live = new StreamingWrap(this.#width, "    ");
    const session = await openSession({
      ...this.#options,
      canUseTool: async (tool, input) => {
        const { outStyle: style } = this.#terminal;
        this.#write(`${live.flush()}\n  allow? ${tool} ${basename(String(input["file_path"]))}\n`);
        for (const { text, tone } of callDetails(tool, input, this.#options.cwd ?? ".").slice(1)) {
          this.#write(`    ${tone === undefined ? text : style[tone](text)}\n`);
        }
        this.#write("  yes\n  < ");
        live = new StreamingWrap(this.#width, "    ");
        return { behavior: "allow", updatedInput: input };
      },
    });
    for (const prompt of ["write knot.txt: bowline", "What is a sheet bend?"]) {
      this.#write(`  > ${prompt}\n  < `);
      live = new StreamingWrap(this.#width, "    ");
      for await (const piece of session.send(prompt).textStream) this.#write(live.add(piece));
      this.#write(`${live.flush()}\n`);
    }
    this.say(`both turns ran in process ${session.pid}`);
    await session.close();
  }

  async #typed(): Promise<void> {
    this.#heading("A typed answer: schema");
    const prompt = "How strong is a bowline?";
    this.#prompt(prompt);
    const { value } = await complete(prompt, { ...this.#options, schema: KNOT });
    // Spaces between the parts let wrapText() break the line.
    this.#lines(`< ${JSON.stringify(value, null, 1).replace(/\n */g, " ")}`);
  }

  async #pool(): Promise<{ coldMs: number[]; warmMs: number[] }> {
    this.#heading("The same questions, first each in a new process, then in a pool: createPool()");
    this.#terminal.status("starting a process for each question");
    const cold = await this.#timed(complete);
    this.#terminal.status(undefined);
    const longest = Math.max(...cold.map(({ ms }) => ms));
    for (const each of cold) this.#bar("cold", each, longest);

    this.#terminal.status("warming the pool");
    const pool = createPool({ warm: [this.#quick] });
    const ask: typeof complete = pool.complete.bind(pool);
    await pool.ready();
    // In a running pool, calls get processes that were reset after an earlier call.
    for (let call = 0; call < FIRST_CALLS; call += 1) await ask("Are you there?", this.#quick);
    const warm = await this.#timed(ask);
    this.#terminal.status(undefined);
    for (const each of warm) this.#bar("warm", each, longest);
    await pool.close();
    const [coldMs, warmMs] = [cold, warm].map((all) => all.map(({ ms }) => ms));
    const ratio = (sum(coldMs) / sum(warmMs)).toFixed(1);
    this.say(
      `${ratio} times as fast (after ${FIRST_CALLS} warm-up calls; the simulated model answers at once)`,
    );
    return { coldMs: coldMs ?? [], warmMs: warmMs ?? [] };
  }

  async #timed(ask: typeof complete): Promise<Timed[]> {
    const all: Timed[] = [];
    for (const knot of KNOTS) {
      const { text, timing } = await ask(`What is a ${knot}?`, this.#quick);
      all.push({ text, ms: Math.round(timing.totalMs) });
    }
    return all;
  }

  /** A line with a bar whose length is in proportion to the longest of all. */
  #bar(how: "cold" | "warm", { ms, text }: Timed, longest: number): void {
    const { green, yellow } = this.#terminal.outStyle;
    const room = Math.max(10, Math.min(LONGEST_BAR, Math.floor(this.#width / 3)));
    const bar = "█".repeat(Math.max(1, Math.min(room, Math.round((ms / longest) * room))));
    const start = `  ${how} ${`${ms} ms`.padStart(8)} `;
    const rest = this.#width - start.length - room - 1;
    const about = rest > SHORTEST_TEXT ? ` ${oneLine(text, rest)}` : "";
    this.#write(`${start}${(how === "warm" ? green : yellow)(bar.padEnd(room))}${about}\n`);
  }

  async #failure(): Promise<void> {
    this.#heading("A failure has a code and a hint: HawserError");
    const options = { ...this.#options, cwd: "/no/such/folder" };
    const error = await complete("Is anybody there?", options).catch((each: unknown) => each);
    if (!isHawserError(error)) throw error;
    this.#lines(`${error.code}: ${error.message}`);
    this.say(error.hint);
  }

  #heading(text: string): void {
    const { bold } = this.#terminal.outStyle;
    this.#write(`\n${wrapText(text, this.#width).split("\n").map(bold).join("\n")}\n`);
  }

  #prompt(text: string): void {
    this.#write(`  > ${text}\n`);
  }

  #write(text: string): void {
    if (!this.#isSilent) process.stdout.write(text);
  }
}

interface Timed {
  readonly ms: number;
  readonly text: string;
}

/** One for a process that was only warmed, one for a process that was reset for the first time. */
const FIRST_CALLS = 2;
const LONGEST_BAR = 30;
const SHORTEST_TEXT = 10;

const KNOTS = ["bowline", "sheet bend", "clove hitch", "figure eight"];

const KNOT = {
  type: "object",
  properties: {
    name: { type: "string" },
    strength: { type: "number", minimum: 0, maximum: 1 },
    uses: { type: "array", items: { type: "string" } },
  },
  required: ["name", "strength", "uses"],
} as const;

function sum(numbers: readonly number[] = []): number {
  return numbers.reduce((a, b) => a + b, 0);
}
