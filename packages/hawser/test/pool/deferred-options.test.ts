import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolStats } from "../../src/pool/index.js";
import { always, type RecordedRequest, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { type World, world } from "../support/world.js";
import { furnish, ROWS } from "./deferred-options-rows.helper.js";

// Every row starts the CLI four times or more.
vi.setConfig({ testTimeout: 180_000 });

/** What a call came to: at the model, in its folder, in this program, and for its caller. */
interface Effect {
  readonly requests: readonly unknown[];
  readonly made: readonly string[];
  readonly fired: readonly string[];
  readonly outcome: unknown;
}

const FILES = ["one", "two", "three", "four"];

async function effectOf(place: World, options: Options, fired: string[]): Promise<Effect> {
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

/** Without what is another one each time. */
function masked({ body, headers }: RecordedRequest): unknown {
  const { "x-claude-code-session-id": session = "?", ...others } = headers;
  const { "content-length": _, "x-stainless-timeout": __, ...rest } = others;
  const text = JSON.stringify([rest, body]).replaceAll(session, "<session>");
  return JSON.parse(text.replace(/toolu_sim\w+|msg_sim\w+/g, "<id>"));
}

async function ready(pool: Pool, kind: keyof PoolStats["processes"]): Promise<void> {
  await vi.waitFor(() => expect(pool.stats().processes[kind]).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 10,
  });
}

describe.each(clisInTurn())("on the real CLI $name", ({ path }) => {
  it.each(ROWS)("$name are the same for a process that is told them late", async (row) => {
    const place = await world(path, []);
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
    const next = row.isInitializable ? "initialized" : "generic";
    await ready(pool, next);
    expect(await effectOf(place, pooled, fired)).toEqual(cold);
    const expected = { cold: 1, generic: 1, initialized: 0 };
    expect(pool.stats().calls.by).toMatchObject({ ...expected, [next]: expected[next] + 1 });
  });
});

it("A process that is told its folder late works there only, as one that was started there.", async () => {
  const place = await world(NEWEST_CLI, []);
  furnish(place);
  const folders = ["first", "second", "third"].map((name) => join(place.home, name));
  for (const folder of folders) mkdirSync(join(folder, "sub"), { recursive: true });
  // The process has waited there.
  const elsewhere = join(tmpdir(), "hawser-env-none", "note");
  place.model.add(
    always(({ toolResults }) => {
      if (toolResults.length > 0) return "Done.";
      const run = (command: string, i: number) =>
        toolUse("Bash", { command, description: "d" }, { id: `toolu_${i}` });
      return [
        run("pwd", 0),
        run("touch one", 1),
        run(`touch ${elsewhere}`, 2),
        run("touch sub/two", 3),
        toolUse("Read", { file_path: elsewhere }, { id: "toolu_4" }),
        toolUse("Read", { file_path: join(place.home, "beside", "note") }, { id: "toolu_5" }),
      ];
    }),
  );
  const optionsIn = (cwd = ""): Options => ({
    ...place.options,
    preset: "agent",
    settingSources: [],
    systemPrompt: { type: "preset", preset: "claude_code" },
    tools: ["Bash", "Read"],
    permissionMode: "acceptEdits",
    cwd,
  });
  const cold = await effectOf(place, optionsIn(folders[2]), []);
  await using pool = createPool({ isolation: "process", size: { max: 3 } });
  await effectOf(place, { ...optionsIn(folders[0]), pool }, []);
  await effectOf(place, { ...optionsIn(folders[1]), pool }, []);
  await ready(pool, "generic");
  expect(await effectOf(place, { ...optionsIn(folders[2]), pool }, [])).toEqual(cold);
  expect(cold.made).toEqual(["one"]);
  expect(pool.stats().calls.by.generic).toBe(1);
});
