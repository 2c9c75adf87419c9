import { randomUUID } from "node:crypto";
import { openSession, type SessionOptions } from "hawser";
import { type IsolatedEnv, isolatedEnv, SimulatedModel, toolUse } from "hawser/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import type { SessionLease } from "../../src/sessions/fleet-sessions.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let database: TestDatabase;
let fleet: Fleet;
let model: SimulatedModel;
const homes: IsolatedEnv[] = [];

beforeAll(async () => {
  [database, model] = await Promise.all([
    createDatabase(),
    SimulatedModel.start({
      replies: ({ prompt, toolResults }) => {
        if (toolResults.length > 0) return `Result: ${toolResults[0]?.text}`;
        if (prompt.includes("Run"))
          return toolUse("Bash", { command: "echo ran", description: "run" });
        return `You said: ${prompt}`;
      },
    }),
  ]);
  fleet = await openFleet({ database: database.url });
});
afterAll(async () => {
  await Promise.all(homes.map((home) => home.dispose()));
  await model.close();
  await fleet.close();
  await database.dispose();
});

/** The options of a session on a host of its own, with the lease of the session. */
async function optionsOf(lease: SessionLease): Promise<SessionOptions> {
  const home = await isolatedEnv({ baseUrl: model.url });
  homes.push(home);
  return {
    cliPath: nativeCli("@anthropic-ai/claude-code"),
    env: home.env,
    inheritEnv: false,
    cwd: home.cwd,
    settingSources: [],
    allowedTools: ["Bash"],
    sessionStore: lease.store,
    sessionStoreFlush: "eager",
    onStoreFailure: "end",
    hooks: { PreToolUse: [{ hooks: [lease.guard] }] },
    signal: lease.lost,
  };
}

describe("openSession() with the fleet's store, outside of runs", () => {
  it("continues a session on another host in another folder, and ends on a host that has lost it", async () => {
    const id = randomUUID();
    const first = await fleet.sessionStore.take(id);
    const session = await openSession({ ...(await optionsOf(first)), sessionId: id });
    expect(await session.send("One.").text()).toBe("You said: One.");

    // The first host is silent for longer than its lease, and another one takes the session.
    await silence(id);
    const second = await fleet.sessionStore.take(id);
    const resumed = await openSession({ ...(await optionsOf(second)), resume: id });
    expect(await resumed.send("Run it.").text()).toBe("Result: ran");
    const messages = model.calls.at(-1)?.body;
    expect(JSON.stringify(messages)).toContain("One.");

    // The first host cannot add anything, and its process ends.
    const late = session.send("Two.");
    await expect(late.result).rejects.toMatchObject({
      code: expect.stringMatching(/^(lease_lost|aborted|closed)$/),
    });
    await session.close();
    await resumed.close();
    await first.release();
    await second.release();
    const entries = await fleet.sessionStore.load({ projectKey: "", sessionId: id });
    expect(JSON.stringify(entries)).not.toContain("Two.");
  });
});

async function silence(id: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    "update hawser.session set expires_at = clock_timestamp() - interval '1 second' where id = $1",
    [id],
  );
  await client.end();
}
