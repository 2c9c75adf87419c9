// A host of the fleet: a worker in a process of its own, with a home and a folder for temporary files of its own. It
// runs the built packages, because Node does not read their sources. HOST_OPTIONS is JSON: see `HostOptions` in
// host.ts. It prints JSON lines. SIGTERM drains it.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isolatedEnv } from "hawser/testing";
import { openFleet } from "../../dist/index.js";

const options = JSON.parse(process.env.HOST_OPTIONS ?? "{}");
const {
  name,
  database,
  modelUrl,
  cliPath,
  folder,
  profile = {},
  work = {},
  approve,
  noProxy,
} = options;
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const logger = {
  debug() {},
  info() {},
  warn: (message, fields) => say({ warn: message, error: String(fields?.error) }),
  error: (message, fields) =>
    say({ error: message, cause: String(fields?.error?.stack ?? fields?.error) }),
};

/** Waits as long as the driver wants: until the file is gone. */
async function wait(at) {
  const file = join(folder, `${at}-${name}`);
  if (existsSync(file)) say({ at });
  while (existsSync(file)) await sleep(20);
}

const fleet = await openFleet({ database, logger });
const extra = noProxy === undefined ? {} : { NO_PROXY: noProxy, no_proxy: noProxy };
const world = await isolatedEnv({ baseUrl: modelUrl, extra });
const worker = await fleet.work({
  name,
  logger,
  profiles: {
    default: { cliPath, env: world.env, inheritEnv: false, settingSources: [], ...profile },
  },
  workspace: async (run) => {
    await wait("workspace");
    const cwd = join(folder, "work", run.id);
    mkdirSync(cwd, { recursive: true });
    return { cwd };
  },
  approve: async ({ tool, input }) => {
    await wait("approve");
    return approve !== undefined && new RegExp(approve).test(`${tool} ${JSON.stringify(input)}`)
      ? "ask"
      : undefined;
  },
  ...work,
});
process.on("SIGTERM", async () => {
  await worker.drain();
  say({ drained: true });
  await fleet.close();
  await world.dispose();
  process.exit(0);
});
say({ ready: true });
