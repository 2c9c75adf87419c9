// The faults of a chaos run, as they are done to its hosts and its database.

/** Longer than the lease of ten seconds. */
const STOP_MS = { least: 11_000, most: 15_000 };

/** So many hosts may be stopped at once: the others must be able to take over. */
const MOST_STOPPED = 2;

/**
 * Does one fault. Returns what was done, for the log; undefined if there was nothing to do it to. Long faults go on in
 * the background and are added to `pending`.
 * @param {{ fault: string, draws: number[] }} planned
 * @param {{ hosts: readonly import("./host.js").Host[], cluster: import("./cluster.js").Cluster,
 *   pending: Set<Promise<unknown>> }} world
 */
export function doFault({ fault, draws }, { hosts, cluster, pending }) {
  const [which, how, size] = draws;
  const awake = hosts.filter((host) => !host.isStopped && !host.isDraining);
  const host = awake[Math.floor(which * awake.length)];
  const later = (promise) => {
    const done = promise.finally(() => pending.delete(done));
    pending.add(done);
  };
  if (fault === "database_restart") {
    if (cluster.isRestarting) return undefined;
    later(cluster.restart());
    return "the database restarts";
  }
  if (fault === "database_terminate") {
    // The database may be restarting.
    later(cluster.terminate(size).catch(() => {}));
    return `${Math.round(size * 100)} % of the connections end`;
  }
  if (host === undefined) return undefined;
  switch (fault) {
    case "worker_kill":
      host.kill(how < 0.5);
      return `${host.name} is killed${how < 0.5 ? " with its group" : ""}`;
    case "cli_kill":
      return host.killCli(how) ? `a CLI of ${host.name} is killed` : undefined;
    case "worker_drain":
      host.drain();
      return `${host.name} drains`;
    case "worker_stop": {
      if (hosts.filter(({ isStopped }) => isStopped).length >= MOST_STOPPED) return undefined;
      const ms = STOP_MS.least + size * (STOP_MS.most - STOP_MS.least);
      later(host.freeze(ms, how < 0.5));
      return `${host.name} is stopped${how < 0.5 ? " with its CLIs" : ""} for ${Math.round(ms)} ms`;
    }
    default:
      throw new Error(`There is no fault ${fault}.`);
  }
}
