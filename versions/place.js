import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSession } from "hawser";
import { isolatedEnv, SimulatedModel } from "hawser/testing";

/**
 * The replies of the model: a list, of which the last is repeated, or a function of the request.
 * @typedef {readonly import("hawser/testing").ReplyInput[] | import("hawser/testing").ReplyFunction} Replies
 */

/**
 * What one check has to itself: a simulated model, a home, a working folder, and the sessions that it opens.
 * `close()` ends all of them.
 */
export class Place {
  /** @type {(() => Promise<unknown>)[]} */
  #closers = [];

  /** @param {{ version: string, path: string }} cli */
  constructor(cli) {
    this.cli = cli;
  }

  /**
   * Sets up a model with these replies, and an environment. Call it once in a check, or once for each part.
   * @param {Replies} replies
   * @param {import("hawser/testing").IsolatedEnvOptions} [environment]
   */
  async world(replies, environment = {}) {
    const model = await SimulatedModel.start({ replies: withoutOwnRequests(replies) });
    this.onClose(() => model.close().catch(() => {}));
    const place = await isolatedEnv({ baseUrl: model.url, ...environment });
    this.onClose(() => place.dispose());
    const { cwd, env } = place;
    return {
      ...place,
      /** The requests to the model that the check caused. */
      calls: () => model.calls.filter((request) => !isOwnRequest(request)),
      /** Resolves when the model has got a request of the check. */
      called: () => model.waitFor((request) => request.kind === "call" && !isOwnRequest(request)),
      options: /** @type {const} */ ({ cliPath: this.cli.path, cwd, env, inheritEnv: false }),
      /** Whether this file is in the working folder. @param {string} name */
      made: (name) => existsSync(join(cwd, name)),
      /** @param {string} name @param {string} text */
      write: (name, text) => writeFileSync(join(cwd, name), text),
    };
  }

  /** @param {import("hawser").SessionOptions} options */
  async session(options) {
    const session = await openSession(options);
    this.onClose(() => session.close());
    return session;
  }

  /** @param {() => Promise<unknown>} close */
  onClose(close) {
    this.#closers.push(close);
  }

  /** Closes everything, the last first. */
  async close() {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/**
 * Older CLIs send requests of their own to the model. They must not take the replies of the check.
 * @param {Replies} replies
 * @returns {import("hawser/testing").ReplyFunction}
 */
function withoutOwnRequests(replies) {
  const choose = typeof replies === "function" ? replies : inTurn([...replies]);
  return (request) => (isOwnRequest(request) ? "ok" : choose(request));
}

/**
 * @param {import("hawser/testing").ReplyInput[]} replies
 * @returns {import("hawser/testing").ReplyFunction}
 */
function inTurn(replies) {
  return () => (replies.length > 1 ? replies.shift() : replies[0]);
}

/**
 * Whether the request is not part of the conversation: up to about 2.1.0 one that warms up a sub-agent, and up to
 * about 2.1.50 one that asks which files a command has read.
 * @param {import("hawser/testing").RecordedRequest} request
 */
function isOwnRequest({ prompt, tools }) {
  if (prompt.trim() === "Warmup") return true;
  return tools.length === 0 && /^Command: .*\nOutput:/s.test(prompt);
}

/**
 * Waits until something is so. The time limit of the check ends a wait that never comes true.
 * @template T
 * @param {() => T | undefined | false} look
 * @returns {Promise<T>}
 */
export async function until(look) {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * The text of all files below a folder.
 * @param {string} folder
 */
export function textBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}
