import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { type FakeCli, fakeCli, type Scenario } from "../../src/testing/index.js";
import { readScenario } from "../../src/testing/read-scenario.js";

/** The fake CLIs of this test file that no test uses at the moment, by the version that they claim. */
const free = new Map<string | undefined, FakeCli[]>();

afterAll(async () => {
  for (const clis of free.values()) for (const cli of clis) await cli.dispose();
});

/**
 * A fake CLI whose program an earlier test of this file may have used, with a record of its own. A
 * program that was used before has said its version, so that no process is started for that. The test
 * must end every process of the fake CLI. `unused()` and `assertDone()` are not for these.
 */
export async function reusedFake(scenario: Scenario = {}): Promise<FakeCli> {
  // A step for the version needs a program that was never asked for it.
  if (scenario.steps?.some(({ on }) => on === "version")) return ownFake(scenario);
  const { version } = scenario;
  const cli = free.get(version)?.pop();
  const ready = cli === undefined ? await fakeCli(scenario) : await renewed(cli, scenario);
  onTestFinished(() => void free.set(version, [...(free.get(version) ?? []), ready]));
  return ready;
}

async function ownFake(scenario: Scenario): Promise<FakeCli> {
  const cli = await fakeCli(scenario);
  onTestFinished(() => cli.dispose());
  return cli;
}

async function renewed(cli: FakeCli, scenario: Scenario): Promise<FakeCli> {
  const folder = dirname(cli.path);
  writeFileSync(join(folder, "scenario.json"), (await readScenario(scenario)).json);
  truncateSync(join(folder, "record.jsonl"));
  for (const name of readdirSync(folder)) {
    if (name.startsWith("process-")) rmSync(join(folder, name));
  }
  return cli;
}
