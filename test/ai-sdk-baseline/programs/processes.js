import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { generateText } from "ai";
import { processesIn } from "../../../tools/place.js";
import { Observation, observe } from "../support/observe.js";
import { cliProcesses, commandOf, environmentOf } from "../support/processes.js";
import { bash } from "../support/replies.js";

const ONE_CALL = fileURLToPath(new URL("../support/one-call.js", import.meta.url));
const SECRET = "HARBOUR_PASSWORD";
const GONE_WITHIN_S = 10;
const CALLS = 5;
/** It runs until it is ended. The CLI refuses a long `sleep`. */
const ENDLESS = "tail -f /dev/null";

export const PROCESSES = {
  reuse: {
    title: "calls, one after the other, share processes of the CLI",
    async run({ model, simulated, place }) {
      const seen = new Set();
      for (let call = 0; call < CALLS; call++) {
        simulated.add(async () => {
          for (const pid of await cliProcesses(place)) seen.add(pid);
          return "A bowline.";
        });
        await generateText({ model: model(), prompt: "Name a knot." });
      }
      observe(seen.size < CALLS, () => `${CALLS} calls need ${seen.size} processes`);
    },
  },

  environment: {
    title: "by default, a variable of the program that the CLI does not need is not handed to it",
    run: (side) => keepsSecret(side, {}),
    others: {
      hawser: {
        by: "`inheritEnv`",
        run: (side) => keepsSecret(side, { inheritEnv: Object.keys(side.place.env) }),
      },
    },
  },

  killed: {
    title: "the program is killed while a tool of the CLI runs: no process is left",
    replies: () => [bash(ENDLESS)],
    async run({ name, place }) {
      const settings = { cli: place.cli, cwd: place.cwd, agent: { allowedTools: ["Bash"] } };
      const program = startCall(name, settings, place.env);
      const exited = once(program, "exit");
      await Promise.race([running(place, ENDLESS), exited.then(endedEarly)]);
      program.kill("SIGKILL");
      await exited;
      const left = await leftIn(place);
      const what = left.map((pid) =>
        commandOf(pid).startsWith(place.cli) ? "the CLI" : "the tool",
      );
      observe(
        left.length === 0,
        () =>
          `after ${GONE_WITHIN_S} seconds, ${[...new Set(what)].sort().join(" and ")} still ran`,
      );
    },
  },
};

/** Reads the environment of the CLI while it waits for the model. */
async function keepsSecret({ name, place, simulated }, more) {
  let environment;
  simulated.add(async () => {
    const [pid] = await cliProcesses(place);
    environment = environmentOf(pid);
    return "A bowline.";
  });
  const settings = { cli: place.cli, cwd: place.cwd, ...more };
  const program = startCall(name, settings, { ...place.env, [SECRET]: "kept" });
  const [code] = await once(program, "exit");
  if (code !== 0 || environment === undefined) throw new Error(`The program ended with ${code}.`);
  observe(!environment.includes(`${SECRET}=kept`), () => "the CLI gets the variable");
  return more.inheritEnv === undefined ? undefined : "the CLI gets only the listed variables";
}

/** A program of its own with one call, because this one must live and has no such variables. */
function startCall(name, settings, env) {
  const stdio = process.env.BASELINE_VERBOSE ? "inherit" : "ignore";
  return spawn(process.execPath, [ONE_CALL, name, JSON.stringify(settings)], {
    cwd: settings.cwd,
    env,
    stdio,
  });
}

async function running(place, command) {
  for (;;) {
    const commands = (await processesIn(place.root)).map(commandOf);
    if (commands.includes(command)) return;
    await sleep(20);
  }
}

function endedEarly([code]) {
  throw new Observation(`the program ended with ${code} before its tool ran`);
}

/** The processes that stay. */
async function leftIn({ root }) {
  const limit = Date.now() + GONE_WITHIN_S * 1000;
  for (;;) {
    const left = await processesIn(root);
    if (left.length === 0 || Date.now() > limit) return left;
    await sleep(50);
  }
}
