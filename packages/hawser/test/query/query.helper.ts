import { onTestFinished } from "vitest";
import {
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
} from "../../src/index.js";
import {
  type Action,
  type FakeCli,
  fakeCli,
  type ReplyScript,
  type Step,
} from "../../src/testing/index.js";
import { type Seen, treeOf } from "../support/proc.js";
import { type World, world } from "../support/world.js";

export type QueryInput = string | AsyncIterable<SDKUserMessage>;

/** A query of a fake CLI; it is closed when the test is over. */
export async function fakeQuery(
  steps: readonly Step[] = [],
  options: Options = {},
  prompt: QueryInput = "go",
): Promise<{ q: Query; cli: FakeCli }> {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  const q = query({ prompt, options: { cliPath: cli.path, closeGraceMs: 50, ...options } });
  onTestFinished(async () => void (await q.return()));
  return { q, cli };
}

/** A query of the real CLI in a world of its own. */
export async function realQuery(
  cliPath: string,
  replies: ReplyScript,
  options: Options | ((place: World) => Options) = {},
  prompt: QueryInput = "go",
): Promise<World & { q: Query }> {
  const place = await world(cliPath, replies);
  const more = typeof options === "function" ? options(place) : options;
  const q = query({ prompt, options: { ...place.options, ...more } });
  onTestFinished(async () => void (await q.return()));
  return { ...place, q };
}

/** What an iteration gave, and what it threw at its end. */
export async function collect(
  q: AsyncIterable<SDKMessage>,
  look: (message: SDKMessage) => unknown = () => {},
): Promise<{ messages: SDKMessage[]; error: unknown }> {
  const messages: SDKMessage[] = [];
  try {
    for await (const message of q) {
      messages.push(message);
      await look(message);
    }
  } catch (error) {
    return { messages, error };
  }
  return { messages, error: undefined };
}

/** Their types and subtypes, as `system/init`. */
export function kinds(messages: readonly object[]): string[] {
  return messages.map((message) => {
    const { type, subtype } = message as { type: string; subtype?: string };
    return subtype === undefined ? type : `${type}/${subtype}`;
  });
}

export function user(text: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage {
  return {
    type: "user",
    message: { role: "user", content: text },
    parent_tool_use_id: null,
    ...more,
  };
}

export async function* messagesOf(...texts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const text of texts) yield user(text);
}

/** A prompt that the test writes on as it goes. */
export class Input implements AsyncIterable<SDKUserMessage> {
  left = false;
  #queued: IteratorResult<SDKUserMessage, undefined>[] = [];
  #wake: () => void = () => {};

  constructor(...texts: readonly string[]) {
    for (const text of texts) this.push(text);
  }

  push(text: string, more: Partial<SDKUserMessage> = {}): void {
    this.add(user(text, more));
  }

  add(message: SDKUserMessage): void {
    this.#add({ done: false, value: message });
  }

  end(): void {
    this.#add({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<SDKUserMessage, undefined> {
    return {
      next: async () => {
        for (;;) {
          const next = this.#queued.shift();
          if (next !== undefined) return next;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      },
      return: async () => {
        this.left = true;
        return { done: true, value: undefined };
      },
    };
  }

  #add(next: IteratorResult<SDKUserMessage, undefined>): void {
    this.#queued.push(next);
    this.#wake();
  }
}

/** The CLIs that this program has started and that still live. */
export function clisOf(path: string): Seen[] {
  return treeOf(process.pid)
    .slice(1)
    .filter(({ command }) => command.includes(path));
}

/** The lines that the fake CLI's one conversation has received. */
export async function linesOf(
  cli: FakeCli,
): Promise<{ type: string; request?: { subtype: string } }[]> {
  const all = await cli.recorded();
  const main = all.find(({ argv }) => argv.length > 1);
  return (main?.lines ?? []).map((line) => JSON.parse(line));
}

/** What a CLI prints of its state, for the host only. */
export function state(name: "running" | "idle" | "requires_action"): Action {
  const fields = { state: name, sdk_host_only: true };
  return { emit: { type: "system", subtype: "session_state_changed", ...fields } };
}

/** The list of the CLI's work in the background. */
export function tasks(...ids: readonly string[]): Action {
  const list = ids.map((task_id) => ({ task_id, task_type: "local_bash", description: "work" }));
  return { emit: { type: "system", subtype: "background_tasks_changed", tasks: list } };
}

export function task(subtype: "task_started" | "task_notification", task_id: string): Action {
  return { emit: { type: "system", subtype, task_id, status: "completed" } };
}

/** Asks the host whether a tool may be used. */
export function asks(id: string): Action {
  const request = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: `t-${id}` };
  return { emit: { type: "control_request", request_id: id, request } };
}
