import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Options } from "../../src/options/index.js";
import { createPool } from "../../src/pool/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { CLIS, NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";
import { effectOf, expectSameEffects, ready } from "./deferred-options.helper.js";
import { furnish, ROWS } from "./deferred-options-rows.helper.js";

// Every row starts the CLI four times or more.
vi.setConfig({ testTimeout: 180_000 });

describe.each(CLIS)("Pool on the real CLI $name", ({ path }) => {
  it.each(ROWS)("a process that gets $name late has the effects of a cold start", async (row) => {
    await expectSameEffects(path, row, { alsoNext: true });
  });
});

it("a process that gets its folder late works only there, as a process that was started there", async () => {
  const place = await world(NEWEST_CLI, []);
  furnish(place);
  const folders = ["first", "second", "third"].map((name) => join(place.home, name));
  for (const folder of folders) mkdirSync(join(folder, "sub"), { recursive: true });
  // The process has waited in this folder.
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
