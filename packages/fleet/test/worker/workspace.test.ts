import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sweepWorkspaces } from "../../src/worker/segment/workspace.js";
import { createRunWorld, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A folder in the place of a run's own. */
function folderOf(id: string): string {
  const folder = join(tmpdir(), `hawser-run-${id}`);
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "notes.txt"), "x");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function endedRun(): Promise<{ readonly id: string; readonly folder: string }> {
  const run = await program.submit();
  await run.cancel("Not needed.");
  return { id: run.id, folder: folderOf(run.id) };
}

describe("sweepWorkspaces()", () => {
  it("removes the folder of a run that has ended, under whatever name it has meanwhile", async () => {
    const { id, folder } = await endedRun();
    await sweepWorkspaces(program.database, id);
    expect(existsSync(folder)).toBe(false);
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith("hawser-removed-run-"));
    expect(left.filter((name) => existsSync(join(tmpdir(), name, "notes.txt")))).toEqual([]);
  });

  it("leaves the folder of a run that is being tried again, because its next segment finds it", async () => {
    const { id, folder } = await endedRun();
    await program.database.transaction(async (db) => {
      // As a retry does it, which is not committed yet.
      await db.query(
        `update ${program.database.schema}.run set state = 'queued', ended_at = null where id = $1`,
        [id],
      );
      await sweepWorkspaces(program.database, id);
    });
    expect(existsSync(join(folder, "notes.txt"))).toBe(true);
  });

  it("passes over a folder whose name is no id of a run", async () => {
    const { folder } = await endedRun();
    folderOf("-".repeat(36));
    await sweepWorkspaces(program.database);
    expect(existsSync(folder)).toBe(false);
  });
});
