import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
let fleet: Fleet;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
  fleet = await openFleet({ database: world.url });
});
afterAll(async () => {
  await fleet.close();
  await world[Symbol.asyncDispose]();
});

describe("fleet.conversation()", () => {
  it("keeps its messages when fleet.prune() deletes their runs, and goes on", async () => {
    const key = { channel: "terminal", user: "ada" };
    const run = await fleet.conversation(key).send("My ship is the Ada.");
    await program.claims.settle(await program.claim(), doneWith("Noted."));
    expect(await fleet.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(1);
    await expect(run.info()).rejects.toMatchObject({ code: "invalid_options" });
    const talk = fleet.conversation(key);
    expect((await talk.history()).map(({ text }) => text)).toEqual([
      "My ship is the Ada.",
      "Noted.",
    ]);
    await talk.send("What is my ship?");
    const claim = await program.claim();
    expect(claim.run.prompt).toBe("What is my ship?");
    await program.claims.settle(claim, doneWith("The Ada."));
    expect(await talk.history()).toHaveLength(4);
  });

  it("is refused after fleet.close()", async () => {
    const other = await openFleet({ database: world.url });
    const talk = other.conversation({ channel: "terminal", user: "bob" });
    await other.close();
    await expect(talk.send("Hello.")).rejects.toMatchObject({ code: "closed" });
    expect(() => other.conversation({ channel: "terminal", user: "bob" })).toThrow(
      expect.objectContaining({ code: "closed" }),
    );
  });
});
