import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { realPlace } from "./places.js";

const HOST = fileURLToPath(new URL("./host.js", import.meta.url));

/** Starts a competitor in a process of its own, with its own model, home and folder. */
export async function openHost(name, more = {}, openPlace = realPlace) {
  const place = await openPlace();
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

/** Opens a host for the time of some work. */
export async function withHost(name, more, openPlace, work) {
  const host = await openHost(name, more, openPlace);
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
