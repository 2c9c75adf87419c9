// What the checks of one client share: a simulated model, and a gateway on the real CLI in front of it.
import assert from "node:assert/strict";
import { isolatedEnv, SimulatedModel } from "hawser/testing";
import { startGateway } from "./start-gateway.js";

/** @typedef {import("hawser/testing").ScriptEntry} ScriptEntry */

/** The model that clients name, and that the CLI asks for. */
export const MODEL = "claude-sonnet-4-6";

/** Starts the model and the gateway. */
export async function openWorld() {
  /** @type {ScriptEntry[]} */
  const script = [];
  let before = 0;
  let unexpected = 0;
  const model = await SimulatedModel.start({
    replies: async (call) => {
      const entry = script.shift();
      if (entry === undefined) unexpected++;
      return typeof entry === "function" ? await entry(call) : entry;
    },
  });
  const place = await isolatedEnv({
    baseUrl: model.url,
    // One attempt of the CLI, so that the attempts of the client can be counted.
    extra: { CLAUDE_CODE_MAX_RETRIES: "0" },
  });
  const gateway = await startGateway(place);
  return {
    model,
    place,
    /** The address of the gateway, without a path. */
    url: gateway.url,
    /** A key of the gateway without limits. */
    key: gateway.key,
    /** A key that allows one request a minute. */
    limitedKey: gateway.limitedKey,
    /** What the gateway wrote to stdout and stderr. */
    log: () => gateway.log(),
    /** Changes settings of the gateway for the checks that follow; without any, they are as at the start. */
    configure: (changes) => gateway.configure(changes),
    /**
     * What the model says next, one reply for each request that it may get.
     * @param {...ScriptEntry} replies
     */
    script: (...replies) => {
      script.push(...replies);
    },
    /** What the model was asked in this check. */
    calls: () => model.calls.slice(before),
    /** Begins a check. */
    begin() {
      before = model.calls.length;
      unexpected = 0;
      script.length = 0;
    },
    /** Throws if the model was asked more or less often than the check scripted. */
    assertPlayed() {
      assert.equal(
        unexpected,
        0,
        `the model got ${unexpected} requests that the check does not expect`,
      );
      assert.equal(script.length, 0, `the model was not asked for ${script.length} of its replies`);
    },
    /** The value of a sample of `/metrics`, or of all samples of the family together. */
    async metric(name, label = "") {
      const headers = { "x-api-key": gateway.key };
      const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
      const lines = text
        .split("\n")
        .filter((line) => line.startsWith(name) && line.includes(label));
      assert.notEqual(lines.length, 0, `no sample ${name} in\n${text}`);
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
    async close() {
      await gateway.close();
      await place.dispose();
      await model.close().catch(() => {
        // The checks have already reported requests without a reply.
      });
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openWorld>>} World */
