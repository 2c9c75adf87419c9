import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolStats } from "../../src/pool/index.js";
import { always, type RecordedRequest } from "../../src/testing/index.js";
import { type World, world } from "../support/world.js";
import { furnish, type Row } from "./deferred-options-rows.helper.js";

/** The effects of a call: on the model, in its folder, in this program, and for its caller. */
interface Effect {
  readonly requests: readonly unknown[];
  readonly made: readonly string[];
  readonly fired: readonly string[];
  readonly outcome: unknown;
}

const FILES = ["one", "two", "three", "four"];

export async function effectOf(place: World, options: Options, fired: string[]): Promise<Effect> {
  const { model } = place;
  const cwd = options.cwd ?? "";
  for (const file of FILES) rmSync(join(cwd, file), { force: true });
  fired.length = 0;
  const before = model.calls.length;
  const { text, value, stop, turns, credential, permissionDenials } = await complete(
    "Try.",
    options,
  );
  return {
    requests: model.calls.slice(before).map(masked),
    made: FILES.filter((file) => existsSync(join(cwd, file))),
    fired: [...fired].sort(),
    outcome: { text, value, stop, turns, credential, permissionDenials },
  };
}

/** Without the values that differ in each request. */
function masked({ body, headers }: RecordedRequest): unknown {
  const { "x-claude-code-session-id": session = "?", ...others } = headers;
  const { "content-length": _, "x-stainless-timeout": __, ...rest } = others;
  const text = JSON.stringify([rest, body]).replaceAll(session, "<session>");
  return JSON.parse(text.replace(/toolu_sim\w+|msg_sim\w+/g, "<id>"));
}

export async function ready(pool: Pool, kind: keyof PoolStats["processes"]): Promise<void> {
  await vi.waitFor(() => expect(pool.stats().processes[kind]).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 10,
  });
}

/**
 * A process that gets the options late has the effects of a process that was started with them: a
 * generic spare, and with `alsoNext` the spare that the pool starts for options that repeat.
 */
export async function expectSameEffects(
  cliPath: string,
  row: Row,
  { alsoNext }: { readonly alsoNext: boolean },
): Promise<void> {
  const place = await world(cliPath, []);
  furnish(place);
  place.model.add(
    always(({ toolResults }) => (toolResults.length === 0 ? row.tries(place) : "Done.")),
  );
  const fired: string[] = [];
  const options = { ...place.options, ...row.options(place, fired) };
  const cold = await effectOf(place, options, fired);
  expect(cold.requests.length).toBeGreaterThan(0);
  await using pool = createPool({ isolation: "process", size: { max: 2 } });
  const pooled = { ...options, pool };
  expect(await effectOf(place, pooled, fired)).toEqual(cold);
  await ready(pool, "generic");
  expect(await effectOf(place, pooled, fired)).toEqual(cold);
  if (!alsoNext) {
    expect(pool.stats().calls.by).toMatchObject({ cold: 1, generic: 1 });
    return;
  }
  const next = row.isInitializable ? "initialized" : "generic";
  await ready(pool, next);
  expect(await effectOf(place, pooled, fired)).toEqual(cold);
  const expected = { cold: 1, generic: 1, initialized: 0 };
  expect(pool.stats().calls.by).toMatchObject({ ...expected, [next]: expected[next] + 1 });
}
