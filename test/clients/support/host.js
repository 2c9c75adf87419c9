// A gateway in a server, until `hawser serve` exists.
import { serve } from "@hono/node-server";
import { createGateway } from "@hawser/gateway";
import { createPool } from "hawser";
const pool = createPool({ size: { min: 0, max: 2 } });
const TENANTS={hwk_clients:{},hwk_limited:{requestsPerMinute:1}};
const gateway = createGateway({ pool, options: { cliPath: process.env.HAWSER_CLI }, models: { "gpt-5.5": "sonnet" }, countTokens: true });
const server = serve({ fetch: gateway.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
process.on("SIGTERM", async () => { server.close(); await gateway.close(); await pool.close(); process.exit(); });
