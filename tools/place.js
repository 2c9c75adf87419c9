// The environment of one run of a scenario: a model, a home and a working folder of its own.
import { readdir, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { isolatedEnv, SimulatedModel } from "hawser/testing";
import { nativeCli } from "./native-cli.js";

/** Longer than an SDK takes to end its process: 2 s after the end of the input, 5 s after SIGTERM. */
const GONE_AFTER_MS = 10_000;

/** Creates an environment. Both sides of a scenario get one with the same relative paths. */
export async function openPlace() {
  const model = await SimulatedModel.start({ auxiliary: { suggestion: "and then?" } });
  const world = await isolatedEnv({
    baseUrl: model.url,
    // One attempt, so that each failure is reported at once.
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
    /** The options that keep a query in this environment. Those of the scenario override them. */
    options(more = {}) {
      return {
        pathToClaudeCodeExecutable: CLI,
        cwd: world.cwd,
        ...more,
        env: { ...world.env, ...more.env },
      };
    },
    /** The requests that the model received. */
    requests: () => model.requests.filter(isModelCall).map(withoutTransport),
    /** Problems of the script: a request without a reply, a reply without a request. */
    script: () => complaint(() => model.assertDone()),
    /** Resolves when every process in this folder has ended or was killed, to the number of killed ones. */
    gone: () => outlast(root),
    /** Closes everything. Returns the processes that outlived the scenario for too long. */
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
    // `script()` has already reported this problem.
  }
}

/** Waits for the processes whose working folder is inside a folder, and kills those that stay too long. */
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

/** The processes whose working folder is inside a folder. Works only where /proc exists; elsewhere the list is empty. */
export async function processesIn(root) {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const inside = await Promise.all(
    pids.map(async (pid) => {
      // The process has ended, or belongs to another user, so its folder cannot be read.
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      return folder.startsWith(root) && pid !== process.pid;
    }),
  );
  return pids.filter((_, index) => inside[index]);
}
