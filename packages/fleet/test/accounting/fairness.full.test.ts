import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jain } from "../support/jain.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

const TENANTS = 50;
const RUNS = 1_000;
/** The first tenant comes first, with half of all runs. The others share the rest. */
const ABUSIVE = 500;
const LIMIT = 2;
const SLOTS = 4;

let world: RunWorld;
let programs: RunProgram[];
beforeAll(async () => {
  world = await createRunWorld();
  programs = [await world.open(), await world.open(), await world.open(), await world.open()];
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const nameOf = (tenant: number) => `tenant-${tenant}`;

async function submitAll(queue: string): Promise<void> {
  const [program] = programs;
  const tenants = [
    ...Array.from({ length: ABUSIVE }, () => 0),
    ...Array.from({ length: RUNS - ABUSIVE }, (_, index) => 1 + (index % (TENANTS - 1))),
  ];
  for (let first = 0; first < RUNS; first += 8) {
    const some = tenants.slice(first, first + 8);
    await Promise.all(some.map((tenant) => program?.submit({ queue, tenant: nameOf(tenant) })));
  }
}

/** Four programs with four slots each work on the queue, until so many runs have begun. Returns their tenants. */
async function serve(queue: string, wanted: number): Promise<string[]> {
  const begun: string[] = [];
  const slot = async (program: RunProgram) => {
    while (begun.length < wanted) {
      const claim = await program.claims.claim({ host: "a", queues: [queue] });
      if (claim === undefined) continue;
      begun.push(claim.run.tenant);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await program.claims.settle(claim, doneWith("served"));
    }
  };
  const slots = programs.flatMap((program) => Array.from({ length: SLOTS }, () => program));
  await Promise.all(slots.map(slot));
  return begun;
}

const sharesOf = (tenants: readonly string[]) =>
  Array.from(
    { length: TENANTS },
    (_, tenant) => tenants.filter((name) => name === nameOf(tenant)).length,
  );

/** The most runs of one tenant at the same time, by the times that the database has recorded. */
async function mostAtOnce(queue: string): Promise<number> {
  const [program] = programs;
  const rows = await program?.rows<{ most: number }>(
    `with change as (
       select run.tenant, segment.began_at as at, 1 as step from hawser.segment join hawser.run on run.id = run_id
       where run.queue = $1
       union all
       select run.tenant, segment.ended_at, -1 from hawser.segment join hawser.run on run.id = run_id
       where run.queue = $1 and segment.ended_at is not null
     ), running as (
       select sum(step) over (partition by tenant order by at, step rows unbounded preceding) as count from change
     )
     select max(count)::int as most from running`,
    [queue],
  );
  return rows?.[0]?.most ?? 0;
}

describe("1,000 runs of 50 tenants, one of which came first with 500", () => {
  it("are served with a Jain index of at least 0.98 over the first 200", async () => {
    await submitAll("open");
    const first = (await serve("open", 200)).slice(0, 200);
    const shares = sharesOf(first);
    console.info(
      `Jain ${jain(shares).toFixed(3)}, shares ${Math.min(...shares)} to ${Math.max(...shares)}`,
    );
    expect(jain(shares)).toBeGreaterThanOrEqual(0.98);
    expect(new Set(first.slice(0, TENANTS + 16)).size).toBe(TENANTS);
  }, 600_000);

  it("never pass a limit of 2 for each tenant, and are as fair", async () => {
    for (let tenant = 0; tenant < TENANTS; tenant++) {
      await programs[0]?.tenants.set(nameOf(tenant), { concurrency: LIMIT });
    }
    await submitAll("limited");
    // To the end, because at last only the one tenant is left, and all slots want its runs.
    const shares = sharesOf((await serve("limited", RUNS)).slice(0, 200));
    const most = await mostAtOnce("limited");
    console.info(`Jain ${jain(shares).toFixed(3)}, at most ${most} at once`);
    expect(jain(shares)).toBeGreaterThanOrEqual(0.98);
    expect(most).toBe(LIMIT);
  }, 900_000);
});
