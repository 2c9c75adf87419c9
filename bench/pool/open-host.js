import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { always } from "hawser/testing";
import { openPlace } from "../../tools/place.js";

const HOST = fileURLToPath(new URL("./host.js", import.meta.url));
export const ANSWER = "Here it is.";

/** Starts a competitor in a process of its own, with its own model, home and folder. */
export async function openHost(name, more = {}) {
  const place = await openPlace();
  place.model.add(always(ANSWER));
  const { cli, cwd, env } = place;
  const child = fork(HOST, [name, JSON.stringify({ cli, cwd, env, ...more })]);
  const ended = once(child, "exit");
  let seen = 0;

  async function told() {
    const [message] = await Promise.race([once(child, "message"), ended]);
    if (message?.done) return message.value;
    throw new Error(message?.error ?? `The host of ${name} has ended (${child.exitCode}).`);
  }

  function ask(what, about) {
    child.send({ what, about });
    return told();
  }

  async function close() {
    try {
      if (child.connected) await ask("close");
    } finally {
      if (child.connected) child.disconnect();
      await ended;
      await place.close();
    }
  }

  try {
    await told();
  } catch (error) {
    await place.close();
    throw error;
  }
  return {
    ask,
    close,
    /** Resolves when none of its processes is left. For a competitor that keeps none. */
    gone: place.gone,
    /** The requests to its model since the last call, with the same placeholder for every folder. */
    requests() {
      const fresh = place.requests().slice(seen);
      seen += fresh.length;
      return JSON.parse(JSON.stringify(fresh).replaceAll(place.root, "/place"));
    },
  };
}
