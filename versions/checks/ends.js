// What the end of a session promises.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { toolUse } from "hawser/testing";
import { until } from "../place.js";
import { stillAlive, treeOf } from "../process-tree.js";

/** A command that never ends by itself. */
const TAIL = "tail -f /dev/null";

/**
 * Opens a session with one command in the background and one in the foreground, and gives the processes.
 * @param {import("../place.js").Place} place
 */
async function busySession(place) {
  const background = `touch one; ${TAIL}`;
  const foreground = `touch two; setsid ${TAIL}`;
  const { options, made } = await place.world(({ toolResults }) =>
    toolResults.length === 0
      ? toolUse("Bash", { command: background, description: "d", run_in_background: true })
      : toolUse("Bash", { command: foreground, description: "d" }),
  );
  const session = await place.session({ ...options, allowedTools: ["Bash"] });
  const turn = session.send("go");
  turn.result.catch(() => {}); // Its end is the subject of the check.
  await until(() => made("one") && made("two"));
  const tails = () => treeOf(session.pid ?? 0).filter(({ command }) => command === TAIL);
  await until(() => tails().length === 2);
  return { session, tree: treeOf(session.pid ?? 0) };
}

/** @type {readonly import("../outcome.js").Check[]} */
export const ends = [
  {
    id: "close",
    group: "Ends",
    title: "after `close()` in mid-turn, the CLI and its commands are gone",
    async run(place) {
      const { session, tree } = await busySession(place);
      await session.close();
      assert.deepEqual(stillAlive(tree), [], "processes are left");
    },
  },
  {
    id: "kill",
    group: "Ends",
    title: "after `kill()`, the CLI and its commands are gone",
    async run(place) {
      const { session, tree } = await busySession(place);
      await session.kill();
      assert.deepEqual(stillAlive(tree), [], "processes are left");
    },
  },
  {
    id: "host-killed",
    group: "Ends",
    title: "when the program is killed with SIGKILL, the CLI and its commands are gone soon after",
    async run(place) {
      const command = `true; ${TAIL}`;
      const { options } = await place.world([toolUse("Bash", { command, description: "d" })]);
      const program = `
        import { openSession } from "hawser";
        const session = await openSession(JSON.parse(process.env.OPTIONS));
        await session.send("go").result;`;
      const host = spawn(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: import.meta.dirname,
        env: { ...process.env, OPTIONS: JSON.stringify({ ...options, allowedTools: ["Bash"] }) },
        stdio: "ignore",
      });
      place.onClose(async () => host.kill("SIGKILL"));
      const tree = await until(() => {
        const below = treeOf(host.pid ?? 0).slice(1);
        return below.some(({ command }) => command === TAIL) && below;
      });
      host.kill("SIGKILL");
      await until(() => stillAlive(tree).length === 0);
    },
  },
];
