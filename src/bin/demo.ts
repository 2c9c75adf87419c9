import { basename } from "node:path";
import { complete } from "../complete/index.js";
import { isHawserError } from "../errors/index.js";
import type { Options } from "../options/index.js";
import { createPool } from "../pool/index.js";
import { processes, shutdown, TemporaryFolder } from "../process/index.js";
import { openSession } from "../session/index.js";
import { type Command, defineCommand } from "./command.js";
import type { Flags } from "./flags.js";
import { aboutWorld, openOfflineWorld } from "./offline/index.js";
import { summaryLine } from "./summary.js";
import { Terminal } from "./terminal.js";
import { callDetails } from "./tool-view.js";

const FLAGS = {
  cli: { value: "path", help: "the claude to use" },
  offline: { help: "as it always is" },
  json: { help: "only the figures, as one JSON object" },
} as const satisfies Flags;

export const demo: Command = defineCommand({
  name: "demo",
  summary: "what there is to see, in half a minute, with no account",
  usage: ["[options]"],
  examples: [["hawser demo", "on the CLI that is found, else on a stand-in"]],
  flags: FLAGS,
  words: 0,
  run: async ({ flags }) => {
    const world = await openOfflineWorld(flags.cli);
    const folder = new TemporaryFolder(0o700);
    try {
      const tour = new Tour({ ...world.options, cwd: folder.path }, flags.json);
      const about = aboutWorld(world);
      tour.say(about);
      const figures = await tour.walk();
      if (flags.json) process.stdout.write(`${JSON.stringify({ about, ...figures })}\n`);
      return 0;
    } finally {
      await shutdown();
      await folder.remove();
      await world.dispose();
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
  readonly #isSilent: boolean;
  readonly #terminal = new Terminal();

  constructor(options: Options, isSilent: boolean) {
    this.#options = options;
    this.#isSilent = isSilent;
  }

  async walk(): Promise<Figures> {
    await this.#answer();
    await this.#conversation();
    await this.#typed();
    const { coldMs, warmMs } = await this.#pool();
    await this.#failure();
    await shutdown();
    const processesLeft = processes().length;
    this.#heading("Nothing is left behind");
    this.say(`${processesLeft} processes`);
    return { coldMs, warmMs, processesLeft };
  }

  say(text: string): void {
    this.#write(`  ${this.#terminal.outStyle.dim(text)}\n`);
  }

  async #answer(): Promise<void> {
    this.#heading("One answer: complete()");
    const prompt = "What is a hawser?";
    this.#prompt(prompt);
    const completion = await complete(prompt, this.#options);
    this.#write(`  < ${completion.text}\n`);
    this.say(summaryLine({ ...completion, totalMs: completion.timing.totalMs }));
  }

  async #conversation(): Promise<void> {
    this.#heading("A conversation: live text, a tool, a permission: openSession()");
    const session = await openSession({
      ...this.#options,
      canUseTool: async (tool, input) => {
        const { outStyle: style } = this.#terminal;
        this.#write(`\n  may it? ${tool} ${basename(String(input["file_path"]))}\n`);
        for (const { text, tone } of callDetails(tool, input, this.#options.cwd ?? ".").slice(1)) {
          this.#write(`    ${tone === undefined ? text : style[tone](text)}\n`);
        }
        this.#write("  yes\n  < ");
        return { behavior: "allow", updatedInput: input };
      },
    });
    for (const prompt of ["write knot.txt: bowline", "What is a sheet bend?"]) {
      this.#write(`  > ${prompt}\n  < `);
      for await (const piece of session.send(prompt).textStream) {
        this.#write(piece.replaceAll("\n", "\n    "));
      }
      this.#write("\n");
    }
    this.say(`both turns in process ${session.pid}`);
    await session.close();
  }

  async #typed(): Promise<void> {
    this.#heading("A typed answer: schema");
    const prompt = "How strong is a bowline?";
    this.#prompt(prompt);
    const { value } = await complete(prompt, { ...this.#options, schema: KNOT });
    this.#write(`  < ${JSON.stringify(value)}\n`);
  }

  async #pool(): Promise<{ coldMs: number[]; warmMs: number[] }> {
    this.#heading(
      "The same questions, each in a process of its own, and in a warm pool: createPool()",
    );
    const coldMs: number[] = [];
    for (const knot of KNOTS) coldMs.push(await this.#timed("cold", knot, complete));
    const pool = createPool({ warm: [this.#options] });
    await pool.ready();
    const warmMs: number[] = [];
    for (const knot of KNOTS) {
      warmMs.push(await this.#timed("warm", knot, pool.complete.bind(pool)));
    }
    await pool.close();
    this.say(`${(sum(coldMs) / sum(warmMs)).toFixed(1)} times as fast`);
    return { coldMs, warmMs };
  }

  async #timed(how: string, knot: string, ask: typeof complete): Promise<number> {
    const { text, timing } = await ask(`What is a ${knot}?`, this.#options);
    const ms = Math.round(timing.totalMs);
    const bar = "█".repeat(Math.max(1, Math.min(40, Math.round(ms / 50))));
    const style = how === "warm" ? this.#terminal.outStyle.green : this.#terminal.outStyle.yellow;
    this.#write(`  ${how} ${`${ms} ms`.padStart(8)} ${style(bar)} ${text}\n`);
    return ms;
  }

  async #failure(): Promise<void> {
    this.#heading("A failure has a code, and says what to do: HawserError");
    const options = { ...this.#options, cwd: "/no/such/folder" };
    const error = await complete("Is anybody there?", options).catch((each: unknown) => each);
    if (!isHawserError(error)) throw error;
    this.#write(`  ${error.code}: ${error.message}\n`);
    this.say(error.hint);
  }

  #heading(text: string): void {
    this.#write(`\n${this.#terminal.outStyle.bold(text)}\n`);
  }

  #prompt(text: string): void {
    this.#write(`  > ${text}\n`);
  }

  #write(text: string): void {
    if (!this.#isSilent) process.stdout.write(text);
  }
}

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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
