import { expect, it } from "vitest";
import { processes } from "../../src/process/index.js";
import { always, hang, type RecordedRequest } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { stillAlive, treeOf } from "../support/proc.js";
import { world } from "../support/world.js";
import { eventually, failureOf, kill9, opened, when } from "./faults.helper.js";

const answers = ({ prompt }: RecordedRequest) => (prompt.includes("hang") ? hang() : "ok");

it("Pool loses at most the running call when a real CLI is killed in any state", async () => {
  const { model, options } = await world(NEWEST_CLI, always(answers));
  const asked = (word: string) => model.calls.filter(({ prompt }) => prompt.includes(word)).length;
  // One process at a time, so that the test knows which process it kills.
  const pool = opened({ size: { min: 0, max: 1 } });
  const killIt = () => {
    const [only, ...others] = processes();
    expect(others).toEqual([]);
    kill9(only?.pid);
  };

  const first = pool.complete("while it starts", options);
  await eventually(() => expect(processes()).toHaveLength(1));
  killIt();
  expect(await first).toMatchObject({ text: "ok" });
  expect(asked("while it starts")).toBe(1);

  // The call has its answer, and no other call has the process yet.
  await when({ pool }, (stats) => stats.processes.resetting === 1);
  killIt();
  expect(await pool.complete("after the reset", options)).toMatchObject({ text: "ok" });
  expect(asked("after the reset")).toBe(1);
  expect(pool.stats().processes.discarded).toMatchObject({ start_failed: 1 });

  await when({ pool }, (stats) => stats.processes.recycled === 1);
  const tree = treeOf(processes()[0]?.pid ?? 0);
  killIt();
  await when({ pool }, (stats) => stats.processes.recycled + stats.processes.closing === 0);
  expect(stillAlive(tree)).toEqual([]);
  expect(pool.stats().processes.discarded).toMatchObject({ exited: 1 });

  const running = failureOf(pool.complete("hang", options));
  await eventually(() => expect(asked("hang")).toBe(1));
  killIt();
  expect(await running).toMatchObject({ code: "process_exited", signal: "SIGKILL" });
  expect(asked("hang")).toBe(1);
  await pool.close();

  const ahead = opened({ size: { min: 1, max: 2 }, warm: [options] });
  await when({ pool: ahead }, (stats) => stats.processes.initialized === 1);
  killIt();
  await when({ pool: ahead }, (stats) => stats.processes.initialized === 0);
  expect(await ahead.complete("after the spare", options)).toMatchObject({ text: "ok" });
  expect(asked("after the spare")).toBe(1);
  expect(model.calls).toHaveLength(4);
});
