import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { RecordedRequest, ReplyFunction, ReplyInput } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { type Seen, stillAlive, treeOf, until } from "../support/proc.js";
import { type World, world } from "../support/world.js";

/** The outcome of a run. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A world in which an example runs unchanged, on the newest CLI and a simulated model. */
export interface Place extends World {
  /** Every process of the example that was alive at a request to the model. */
  readonly seen: readonly Seen[];
  start(args?: readonly string[], env?: Readonly<Record<string, string>>): Running;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Resolves when the program and every process seen below it are gone. */
  readonly ended: Promise<Ran>;
}

/** Gives the reply to a request. `call` counts the requests from 1. */
export type Replies = (request: RecordedRequest, call: number) => ReturnType<ReplyFunction>;

/** `name` is a file in the folder examples. */
export async function placeOf(
  name: string,
  replies: readonly ReplyInput[] | Replies,
): Promise<Place> {
  const seen: Seen[] = [];
  let running: number | undefined;
  let calls = 0;
  const place = await world(NEWEST_CLI, (request) => {
    // The process that sends this request is alive now, and so is its watchdog.
    seen.push(...treeOf(running ?? 0));
    calls += 1;
    return typeof replies === "function" ? replies(request, calls) : replies[calls - 1];
  });
  const start = (args: readonly string[] = [], env = {}): Running => {
    const file = fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
    const child = spawn(process.execPath, [file, ...args], {
      cwd: place.cwd,
      env: { ...place.env, HAWSER_CLI: NEWEST_CLI, ...env },
      // A process group of its own, as in a terminal, where Ctrl-C reaches the whole group.
      detached: true,
    });
    const { pid } = child;
    if (pid === undefined) throw new Error(`${name} was not started`);
    running = pid;
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = endOf(child).then(async (ran) => {
      if (calls > 0) expect(seen.length).toBeGreaterThan(1);
      await until(() => stillAlive(seen).length === 0);
      return ran;
    });
    return { child, pid, ended };
  };
  return { ...place, seen, start };
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
