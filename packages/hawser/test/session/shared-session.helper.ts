import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import type { RecordedRequest, ScriptEntry } from "../../src/testing/index.js";
import type { Message } from "../../src/wire/index.js";
import { type SharedWorld, sharedWorld } from "../support/shared-world.js";

/**
 * One session on the real CLI for all tests of a block. Each test scripts its own replies and uses
 * files of its own. A failed test may leave a turn running, so the next test gets a new process.
 */
export function sharedSession(
  cliPath: string,
  options: Options | ((cwd: string) => Options) = {},
): SharedSession {
  const shared = new SharedSession(sharedWorld(cliPath), options);
  beforeAll(() => shared.open());
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await shared.session.kill();
    await shared.open();
  });
  afterAll(() => shared.close());
  return shared;
}

export class SharedSession {
  readonly world: SharedWorld;
  #options: Options | ((cwd: string) => Options);
  #session: Session | undefined;
  #messages: Message[] | undefined;

  constructor(world: SharedWorld, options: Options | ((cwd: string) => Options)) {
    this.world = world;
    this.#options = options;
  }

  async open(): Promise<void> {
    const { world } = this;
    // Only once, because the function may write files.
    if (typeof this.#options === "function") this.#options = this.#options(this.cwd);
    this.#session = await openSession({ ...world.options, ...this.#options });
    this.#messages = undefined;
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("The session opens before the first test.");
    return this.#session;
  }

  get cwd(): string {
    return this.world.place.cwd;
  }

  /** What the model was asked in this test. */
  get calls(): readonly RecordedRequest[] {
    return this.world.calls;
  }

  /** Every message of the session since the first call of watch(), because a session has one reader. */
  watch(): readonly Message[] {
    this.#messages ??= collect(this.session);
    return this.#messages;
  }

  /** What the model says in this test. */
  script(...replies: readonly ScriptEntry[]): void {
    this.world.script(...replies);
  }

  /** The first call of this test that fits, now or later. */
  called(fits: (call: RecordedRequest) => boolean = () => true): Promise<RecordedRequest> {
    const { model, calls } = this.world;
    const before = model.calls.length - calls.length;
    return model.waitFor((request) => model.calls.indexOf(request) >= before && fits(request));
  }

  /** Whether this file is in the working directory. */
  made(file: string): boolean {
    return existsSync(join(this.cwd, file));
  }
}

function collect(session: Session): Message[] {
  const messages: Message[] = [];
  void (async () => {
    for await (const message of session) messages.push(message);
  })().catch(() => {
    // The turns of a session that ends with an error report that error themselves.
  });
  return messages;
}
