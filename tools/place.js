// Where one scenario runs once: a model, a home, a working folder of its own.
import { readdir, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { isolatedEnv, SimulatedModel } from "hawser/testing";
import { nativeCli } from "./native-cli.js";

/** Longer than the ladder by which an SDK ends its process: 2 s for the input's end, 5 s for SIGTERM. */
const GONE_AFTER_MS = 10_000;

/** A fresh place. Both sides of a scenario get one with the same relative names in it. */
export async function openPlace() {
  const model = await SimulatedModel.start({ auxiliary: { suggestion: "and then?" } });
  const world = await isolatedEnv({
    baseUrl: model.url,
    // One attempt, so that each failure shows at once.
    extra: { CLAUDE_CODE_MAX_RETRIES: "0" },
  });
  const root = dirname(world.cwd);
  return {
    root,
    model,
    env: world.env,
    cwd: world.cwd,
    configDir: world.configDir,
    cli: CLI,
    /** The options that keep a query in this place, with those of the scenario over them. */
    options(more = {}) {
      return {
        pathToClaudeCodeExecutable: CLI,
        cwd: world.cwd,
        ...more,
        env: { ...world.env, ...more.env },
      };
    },
    /** What the model was asked. */
    requests: () => model.requests.filter(isModelCall).map(withoutTransport),
    /** Complaints about the script: a call without a reply, a reply without a call. */
    script: () => complaint(() => model.assertDone()),
    /** When every process that works in here is gone, or was ended; how many had to be. */
    gone: () => outlast(root),
    /** Ends everything; says which processes outlived the scenario by more than they may. */
    async close() {
      const left = await outlast(root);
      await complaintOf(model.close());
      await world.dispose();
      return left;
    },
  };
}

const CLI = nativeCli("@anthropic-ai/claude-code");

function isModelCall(request) {
  return request.kind === "call" || request.kind === "auxiliary";
}

/** @param {import("hawser/testing").RecordedRequest} request */
function withoutTransport({ kind, auxiliary, body, headers }) {
  return { kind, auxiliary, betas: headers["anthropic-beta"], body };
}

function complaint(check) {
  try {
    check();
    return "played to its end";
  } catch (error) {
    return error.message.replace(/request \d+/g, "request");
  }
}

async function complaintOf(promise) {
  try {
    await promise;
  } catch {
    // The same complaint that `script()` has given.
  }
}

/** Waits for the processes that work in a folder, and ends those that stay too long. */
async function outlast(root) {
  const limit = Date.now() + GONE_AFTER_MS;
  for (;;) {
    const pids = await processesIn(root);
    if (pids.length === 0) return 0;
    if (Date.now() > limit) {
      for (const pid of pids) process.kill(pid, "SIGKILL");
      return pids.length;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Only where /proc tells; elsewhere nothing is known. */
async function processesIn(root) {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const inside = await Promise.all(
    pids.map(async (pid) => {
      // A process that is gone, or another user's, has no readable folder.
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      return folder.startsWith(root) && pid !== process.pid;
    }),
  );
  return pids.filter((_, index) => inside[index]);
}
