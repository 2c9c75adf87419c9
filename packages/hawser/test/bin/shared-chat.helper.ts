import { afterAll, beforeEach, onTestFinished } from "vitest";
import { always, type FakeCli, fakeCli, type ReplyFunction } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { type AtEnd, hawserIn, KEYS, type Pty, type PtyOptions, place } from "../support/pty.js";
import { type SharedWorld, sharedWorld } from "../support/shared-world.js";

/**
 * One `hawser chat` on the real CLI and a simulated model, for all tests of a block. It is open at an
 * empty prompt when a test begins. A test that leaves it otherwise makes the next one open another.
 */
export function sharedChat(screen: Screen = {}): SharedChat {
  const chat = new SharedChat(sharedWorld(NEWEST_CLI), screen);
  beforeEach(() => chat.begin());
  afterAll(() => chat.close());
  return chat;
}

type Screen = Pick<PtyOptions, "cols" | "rows">;

/** One `hawser chat --offline` for all tests of a block, in the same way. */
export function sharedOfflineChat(...args: readonly string[]): SharedTerminal & { cwd(): string } {
  let cwd = "";
  const chat = new SharedTerminal(async (atEnd) => {
    const here = place(atEnd);
    cwd = here.cwd;
    return opened(hawserIn({ ...here, atEnd }, "chat", "--offline", ...args));
  });
  beforeEach(() => chat.begin());
  afterAll(() => chat.close());
  return Object.assign(chat, { cwd: () => cwd });
}

async function opened(pty: Pty): Promise<Pty> {
  await pty.shows(/\/exit\s+to\s+leave\n>/);
  return pty;
}

export class SharedTerminal {
  readonly #open: (atEnd: AtEnd) => Promise<Pty>;
  readonly #ends: (() => void | Promise<void>)[] = [];
  #pty: Pty | undefined;
  #rawBefore = 0;
  #textBefore = 0;

  constructor(open: (atEnd: AtEnd) => Promise<Pty>) {
    this.#open = open;
  }

  async begin(): Promise<void> {
    if (this.#pty?.lastLine.trimEnd() !== ">") {
      await this.close();
      this.#pty = await this.#open((end) => void this.#ends.unshift(end));
    }
    this.#rawBefore = this.pty.raw.length;
    this.#textBefore = this.pty.text.length;
  }

  get pty(): Pty {
    if (this.#pty === undefined) throw new Error("The chat opens before the first test.");
    return this.#pty;
  }

  /** What was written in this test, with its escape sequences. */
  get raw(): string {
    return this.pty.raw.slice(this.#rawBefore);
  }

  /** What this test has added to the screen. */
  get text(): string {
    return this.pty.text.slice(this.#textBefore);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
  }
}

export class SharedChat extends SharedTerminal {
  readonly #world: SharedWorld;

  constructor(world: SharedWorld, screen: Screen) {
    super((atEnd) => {
      const { cwd, env: own } = world.place;
      const env = { ...own, HAWSER_CLI: NEWEST_CLI };
      return opened(hawserIn({ ...screen, cwd, env, atEnd }, "chat"));
    });
    this.#world = world;
  }

  override async begin(): Promise<void> {
    await super.begin();
    this.replies(() => "Well.");
  }

  get cwd(): string {
    return this.#world.place.cwd;
  }

  get configDir(): string {
    return this.#world.place.configDir;
  }

  /** How the model answers in this test; by "Well." unless told. */
  replies(reply: ReplyFunction): void {
    this.#world.script(always(reply));
  }

  /** What the model was asked in this test. */
  get calls(): SharedWorld["calls"] {
    return this.#world.calls;
  }

  prompts(): string[] {
    return this.calls.map(({ prompt }) => prompt);
  }
}

/** A CLI that answers every prompt with "Well.": enough where the subject is the command alone. */
export async function obligingCli(): Promise<FakeCli> {
  const cli = await fakeCli({
    steps: [{ on: "user", times: "always", do: [{ turn: "Well." }] }],
  });
  onTestFinished(() => cli.dispose());
  return cli;
}

/** A `hawser chat` of its own on such a CLI, open at its first prompt. */
export async function chatOnFake(): Promise<Pty> {
  const { cwd, env } = place();
  const { path } = await obligingCli();
  const pty = hawserIn({ cwd, env: { ...env, HAWSER_CLI: path } }, "chat");
  await pty.shows("/exit to leave\n>");
  return pty;
}

/** When the turn is over and the next one can be typed. */
export async function prompted(pty: Pty): Promise<void> {
  await pty.shows(/ s\n>/);
}

/** Takes what stands in the edit line away. */
export async function clearLine(pty: Pty): Promise<void> {
  pty.type(KEYS.ctrlC);
  await pty.shows("\n>");
}
