// A worker of a chaos run: a host with a HOME of its own. SIGTERM drains it.
// Arguments: the folder of the chaos run and the name of the host.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { openFleet } from "@hawser/fleet";
import { isolatedEnv } from "hawser/testing";
import { nativeCli } from "../../../../tools/native-cli.js";
import { fileLogger } from "./file-logger.js";
import { MARK, placeOf } from "./place.js";
import { readSettings } from "./settings.js";
import { untilReachable } from "./until-reachable.js";

const [folder, name] = process.argv.slice(2);
const place = placeOf(folder);
const { databaseUrl, modelUrl, slots } = readSettings(place);
const logger = fileLogger(place.log(name));
mkdirSync(tmpdir(), { recursive: true });
const world = await isolatedEnv({ baseUrl: modelUrl, configDir: `${place.host(name)}/config` });
const fleet = await untilReachable(() => openFleet({ database: databaseUrl, logger }));
const worker = await untilReachable(() =>
  fleet.work({
    profiles: { default: profileOf },
    name,
    slots,
    approve: ({ input }) => (String(input.command).includes(".ask ") ? "ask" : "allow"),
    holdMs: 1_000,
    drainMs: 3_000,
    logger,
  }),
);
process.once("SIGTERM", async () => {
  await worker.drain();
  await fleet.close();
  process.exit(0);
});
// The driver is gone.
process.stdin.resume().on("end", () => process.exit(1));
process.send?.("ready");

/** Every request to the model names the segment that makes it. */
function profileOf(run) {
  const segment = `${run.id}/${run.segments}`;
  return {
    cliPath: nativeCli("@anthropic-ai/claude-code"),
    env: {
      ...world.env,
      ANTHROPIC_CUSTOM_HEADERS: `x-chaos-segment: ${segment}`,
      [MARK]: process.env[MARK],
    },
    inheritEnv: false,
    settingSources: [],
  };
}
