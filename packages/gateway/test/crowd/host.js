// A gateway on a server of its own, with a pool of the real CLI: `node --expose-gc host.js <options of all calls>`.
// Messages from the parent ask for its state.
import { once } from "node:events";
import { createGateway } from "@hawser/gateway";
import { createAdaptorServer } from "@hono/node-server";
import { createPool, processes } from "hawser";

const [options = "{}", size = "{}"] = process.argv.slice(2);
const pool = createPool({ size: JSON.parse(size) });
const gateway = createGateway({ pool, options: JSON.parse(options) });
const server = createAdaptorServer({ fetch: gateway.fetch });
server.listen(0, "127.0.0.1");
await once(server, "listening");

const ASKED = {
  port: () => /** @type {import("node:net").AddressInfo} */ (server.address()).port,

  /** The bytes that this program holds. */
  async memory() {
    for (let i = 0; i < 2; i += 1) {
      globalThis.gc?.();
      // Finalizers run between two turns of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },

  state: async () => ({
    openRequests: gateway.openRequests,
    connections: await new Promise((resolve) => {
      server.getConnections((_, count) => resolve(count));
    }),
    pool: pool.stats(),
    pids: processes().map(({ pid }) => pid),
  }),

  async close() {
    await gateway.close();
    await pool.close();
    server.close();
  },
};

process.on("message", async (/** @type {keyof typeof ASKED} */ what) => {
  process.send?.({ what, value: await ASKED[what]() });
  if (what === "close") process.disconnect();
});
process.on("disconnect", () => process.exit());
process.send?.({ what: "started" });
