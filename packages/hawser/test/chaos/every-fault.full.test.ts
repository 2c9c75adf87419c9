import { expect, it } from "vitest";
import { chaos } from "./chaos.helper.js";
import { FAULTS, STEPS } from "./plan.js";

it("a call settles as expected and leaves nothing behind, for every fault at every protocol step, at two entry points each", async () => {
  const { code, said, runs, outcomes, problems } = await chaos("--share=2", "--concurrency=12");
  expect(problems, said).toEqual([]);
  expect(code).toBe(0);
  expect(runs).toBe(Object.keys(STEPS).length * Object.keys(FAULTS).length * 2);
  expect(outcomes).toMatchObject({
    ok: expect.any(Number),
    process_exited: expect.any(Number),
    aborted: expect.any(Number),
    "timeout/boot": expect.any(Number),
    "timeout/idle": expect.any(Number),
  });
}, 900_000);
