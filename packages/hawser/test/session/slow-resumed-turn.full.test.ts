import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { clisInTurn } from "../support/cli.js";
import { deferred } from "./deferred.helper.js";

describe.each(clisInTurn())("Session.resumedTurn() on $name", ({ path }) => {
  it("outlasts firstMessageMs while the callback decides and while the call runs", async () => {
    const place = await deferred(path, "sleep 6; touch one");
    const session = await place.reopen({
      timeouts: { firstMessageMs: 5_000 },
      canUseTool: async () => {
        await sleep(6_000);
        return { behavior: "allow" };
      },
    });
    expect(await session.resumedTurn().text()).toBe("Done.");
    expect(place.made("one")).toBe(true);
  });
});
