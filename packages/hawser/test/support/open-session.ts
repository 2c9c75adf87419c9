import { existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import type { ReplyScript } from "../../src/testing/index.js";
import { type World, world } from "./world.js";

export interface OpenWorld extends World {
  readonly session: Session;
  /** Whether this file is in the working directory. */
  made(file: string): boolean;
}

/** A session in a world of its own; both go when the test is over. */
export async function open(
  cliPath: string,
  replies: ReplyScript,
  more: Options | ((cwd: string) => Options) = {},
): Promise<OpenWorld> {
  const place = await world(cliPath, replies);
  const own = typeof more === "function" ? more(place.cwd) : more;
  const session = await openSession({ ...place.options, ...own });
  onTestFinished(() => session.close());
  return { ...place, session, made: (file) => existsSync(join(place.cwd, file)) };
}
