import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyFleet } from "../../src/engine/copy-fleet.js";
import { createRunWorld, doneWith, type RunWorld } from "../support/run-world.js";

let from: RunWorld;
let to: RunWorld;
beforeAll(async () => {
  from = await createRunWorld();
  to = await createRunWorld();
});
afterAll(async () => {
  await from[Symbol.asyncDispose]();
  await to[Symbol.asyncDispose]();
});

describe("copyFleet()", () => {
  it("copies small and large rows, and the runs go on in the new database", async () => {
    const source = await from.open();
    const target = await to.open();
    const large = `${"x".repeat(5_000_000)}\0\ud800 "quotes" \\u0000`;
    const ended = await source.submit({}, "first");
    await source.claims.settle(await source.claim(), doneWith("done"));
    const waiting = await source.submit({ metadata: { note: "ü\n\0" } }, large);
    await copyFleet(source.database, target.database);
    expect((await target.run(ended.id).result()).text).toBe("done");
    const claim = await target.claim();
    expect(claim.run).toMatchObject({ id: waiting.id, prompt: large, metadata: { note: "ü\n\0" } });
  });

  it("refuses to copy a database into itself", async () => {
    const one = await from.open();
    const same = await from.open();
    await expect(copyFleet(one.database, same.database)).rejects.toMatchObject({
      code: "invalid_options",
    });
  });
});
