// Starts the gateway as users do: a configuration, keys, and `hawser serve`.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nativeCli } from "../../../tools/native-cli.js";

const HAWSER = fileURLToPath(new URL("../../../packages/hawser/dist/bin/main.js", import.meta.url));
const NODE = process.env.GATEWAY_NODE ?? process.execPath;

const CONFIG = {
  listen: { port: 0 },
  tenants: { clients: { admin: true }, limited: { requestsPerMinute: 1 } },
  pool: { size: { min: 0, max: 2 } },
  countTokens: true,
};

/** @param {import("hawser/testing").IsolatedEnv} place */
export async function startGateway({ cwd, home, env }) {
  const config = join(home, "hawser.config.json");
  writeFileSync(config, JSON.stringify(CONFIG));
  const command = (...args) => [HAWSER, "serve", ...args, "--config", config, "--json"];
  const keyOf = async (tenant) => {
    const options = { cwd, env };
    const { stdout } = await promisify(execFile)(NODE, command("keys", "add", tenant), options);
    return JSON.parse(stdout).key;
  };
  const key = await keyOf("clients");
  const limitedKey = await keyOf("limited");
  const cli = nativeCli("@anthropic-ai/claude-code");
  const child = spawn(NODE, [...command("--cli", cli)], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let log = "";
  const url = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece) => {
        log += piece;
        const found = /"url":"(http:[^"]+)"/.exec(log);
        if (found !== null) resolve(found[1]);
      });
    }
    child.once("exit", (code) => reject(new Error(`The gateway ended with ${code}:\n${log}`)));
  });
  return {
    url,
    key,
    limitedKey,
    log: () => log,
    /** Changes settings of the configuration, or takes earlier changes back without any. */
    async configure(changes = {}) {
      writeFileSync(config, JSON.stringify({ ...CONFIG, ...changes }));
      const before = log.length;
      child.kill("SIGHUP");
      for (;;) {
        if (log.slice(before).includes("The configuration was reloaded.")) return;
        await once(child.stderr, "data");
      }
    },
    /** Ends the gateway with SIGTERM. Throws if it does not end well, or if a key is in its log. */
    async close() {
      child.kill("SIGTERM");
      const [code] = await exited;
      if (code !== 0) throw new Error(`The gateway ended with ${code}:\n${log}`);
      if (log.includes(key) || log.includes(limitedKey)) throw new Error("A key is in the log.");
    },
  };
}
