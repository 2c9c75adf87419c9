// Starts the gateway in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { nativeCli } from "../../../tools/native-cli.js";

const HOST = fileURLToPath(new URL("./host.js", import.meta.url));

/** @param {import("hawser/testing").IsolatedEnv} place */
export async function startGateway(place) {
  const child = spawn(process.env.GATEWAY_NODE ?? process.execPath, [HOST], {
    cwd: place.cwd,
    env: { ...place.env, HAWSER_CLI: nativeCli("@anthropic-ai/claude-code") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let log = "";
  const url = await new Promise((resolve, reject) => {
    const listen = (stream) => {
      stream.setEncoding("utf8").on("data", (piece) => {
        log += piece;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(log);
        if (found !== null) resolve(found[0]);
      });
    };
    listen(child.stdout);
    listen(child.stderr);
    child.once("exit", (code) => reject(new Error(`The gateway ended with ${code}:\n${log}`)));
  });
  return {
    url,
    key: "hwk_clients",
    limitedKey: "hwk_limited",
    log: () => log,
    async close() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
