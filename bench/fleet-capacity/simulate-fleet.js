// A model of a fleet: hosts that claim runs, work on them, and write to one Postgres. It has the parts that every host
// shares, because these set the limit: the lock of the claims, the lock of NOTIFY, and the cores of the database.
import { randomNumbers } from "../random.js";
import { quantile } from "../statistics.js";
import { Line, Servers, Simulation } from "./simulation.js";

// These are the constants of packages/fleet/src/worker.
const POLL_MS = 1_000;
const HEARTBEAT_MS = 2_500;
const HOUSE_MS = 1_000;
const REGISTER_MS = 5_000;
const WAKE_SPREAD_MS = 1;
const UPKEEPS_PER_SECOND = 20;

/** If the runs of so many seconds wait at the end although slots are free, more arrive than can be claimed. */
const OVERLOAD_SECONDS = 2;

/**
 * @typedef Situation
 * @property {number} hosts
 * @property {number} slots of each host
 * @property {number} cores of the database's machine
 * @property {number} roundTripMs between a host and the database, more than on one machine
 * @property {number} runMs how long a run works: the mean, or the same for every run of a backlog
 * @property {number} [load] the share of all slots that is taken on average; runs arrive at random
 * @property {number} [backlog] instead of `load`: so many runs wait at the start, and none arrive
 * @property {Record<string, number>} writesPerSecond of each running run, by the name of the operation
 * @property {"listen" | "poll"} wake how a host learns of new work
 * @property {boolean} [isOneMachine] the host's own work takes the cores of the database
 * @property {number} seconds how long to simulate; a backlog ends by itself
 * @property {number} seed
 */

/** Simulates one situation with service times, and returns what was seen. */
export function simulateFleet(situation, times) {
  const fleet = new FleetModel(situation, times);
  fleet.begin();
  fleet.simulation.run(situation.seconds * 1_000);
  return fleet.observed();
}

class FleetModel {
  simulation = new Simulation();
  #situation;
  #times;
  #random;
  #claimLock;
  #notifyLock;
  #cores;
  #waiting = new Line();
  #hosts;
  #running = 0;
  #pickUps = [];
  /** How often each operation was done. */
  #counts;

  constructor(situation, times) {
    this.#situation = situation;
    this.#times = times;
    this.#random = randomNumbers(situation.seed);
    this.#counts = Object.fromEntries(Object.keys(times.operations).map((name) => [name, 0]));
    this.#claimLock = new Servers(this.simulation, 1);
    this.#notifyLock = new Servers(this.simulation, 1);
    this.#cores = new Servers(this.simulation, situation.cores);
    this.#hosts = Array.from({ length: situation.hosts }, () => ({
      free: situation.slots,
      /** A program of Node runs on one processor. */
      thread: new Servers(this.simulation, 1),
      isClaiming: false,
      isPlanned: false,
    }));
  }

  begin() {
    const { backlog, load } = this.#situation;
    if (backlog === undefined) {
      this.#fillSlots(load);
      this.simulation.start(this.#arrivals());
    } else {
      for (let i = 0; i < backlog; i++) this.#waiting.push({ submittedAt: 0, hasSlot: true });
    }
    for (const host of this.#hosts) {
      this.simulation.start(this.#every(HEARTBEAT_MS, () => this.#heartbeat(host)));
      this.simulation.start(this.#every(HOUSE_MS, () => this.#keepHouse(host)));
      this.simulation.start(this.#every(REGISTER_MS, () => this.#transaction("register", host)));
      this.simulation.start(this.#every(POLL_MS, () => this.#claims(host)));
      if (backlog !== undefined) this.simulation.start(this.#claims(host));
    }
  }

  observed() {
    const { now } = this.simulation;
    const perSecond = (count) => (count * 1_000) / now;
    const claimable = Math.min(this.#waiting.length, this.#freeSlots());
    return {
      seconds: now / 1_000,
      perSecond: Object.fromEntries(
        Object.entries(this.#counts).map(([name, count]) => [name, perSecond(count)]),
      ),
      pickUpMs: [0.5, 0.95].map((part) => quantile(this.#pickUps, part)),
      /** The part of the time in which a claim is made. */
      claimLock: this.#claimLock.busyMs / now,
      coresBusy: this.#cores.busyMs / now,
      isOverloaded: claimable > OVERLOAD_SECONDS * perSecond(this.#counts.submit),
    };
  }

  #freeSlots() {
    return this.#hosts.reduce((sum, { free }) => sum + free, 0);
  }

  // Runs

  /** The slots that are taken at the start. Working times are exponential, so what is left of one is too. */
  #fillSlots(load) {
    for (const host of this.#hosts) {
      for (let slot = 0; slot < this.#situation.slots; slot++) {
        if (this.#random() < load) this.simulation.start(this.#work(host));
      }
    }
  }

  *#arrivals() {
    const { hosts, slots, load, runMs } = this.#situation;
    const everyMs = runMs / (hosts * slots * load);
    for (;;) {
      yield this.simulation.delay(this.#exponential(everyMs));
      this.simulation.start(this.#submit());
    }
  }

  *#submit() {
    const { now } = this.simulation;
    yield* this.#transaction("submit", undefined);
    // A run that finds all slots taken waits for another one to end, which says nothing about the database.
    this.#waiting.push({ submittedAt: now, hasSlot: this.#freeSlots() > this.#waiting.length });
    if (this.#situation.wake === "listen") for (const host of this.#hosts) this.#plan(host);
  }

  /** From the claim to the settled run. */
  *#work(host) {
    const { backlog, runMs } = this.#situation;
    host.free -= 1;
    this.#running += 1;
    const workMs = backlog === undefined ? this.#exponential(runMs) : runMs;
    for (const [kind, perSecond] of Object.entries(this.#situation.writesPerSecond)) {
      this.simulation.start(this.#writes(host, { kind, perSecond, workMs }));
    }
    yield this.simulation.delay(workMs);
    yield* this.#transaction("settle", host);
    this.#running -= 1;
    host.free += 1;
    this.simulation.start(this.#claims(host));
  }

  *#writes(host, { kind, perSecond, workMs }) {
    const end = this.simulation.now + workMs;
    for (;;) {
      yield this.simulation.delay(this.#exponential(1_000 / perSecond));
      if (this.simulation.now > end) return;
      yield* this.#transaction(kind, host);
    }
  }

  // Hosts

  /** A host that was woken claims after a random time, so that not all hosts claim at once. */
  #plan(host) {
    if (host.isPlanned || host.free === 0) return;
    host.isPlanned = true;
    this.simulation.start(this.#plannedClaim(host));
  }

  *#plannedClaim(host) {
    yield this.simulation.delay(this.#random() * WAKE_SPREAD_MS * this.#situation.hosts);
    host.isPlanned = false;
    yield* this.#claims(host);
  }

  /** One claim after the other, until nothing waits or no slot is free. */
  *#claims(host) {
    if (host.isClaiming) return;
    host.isClaiming = true;
    while (host.free > 0) {
      yield* this.#transaction("hasDue", host);
      if (this.#waiting.length === 0) break;
      const run = yield* this.#claim(host);
      if (run === undefined) break;
      if (run.hasSlot) this.#pickUps.push(this.simulation.now - run.submittedAt);
      this.simulation.start(this.#work(host));
    }
    host.isClaiming = false;
  }

  /** Returns the claimed run. */
  *#claim(host) {
    yield this.#claimLock.acquire();
    const from = this.simulation.now;
    const run = this.#waiting.shift();
    yield* this.#transaction(run === undefined ? "emptyClaim" : "claim", host);
    this.#claimLock.release(this.simulation.now - from);
    return run;
  }

  *#heartbeat(host) {
    if (host.free < this.#situation.slots) yield* this.#transaction("touch", host);
  }

  *#keepHouse(host) {
    if (host.free < this.#situation.slots) yield* this.#transaction("cancelWanted", host);
    if (this.#random() * this.#situation.hosts > UPKEEPS_PER_SECOND) return;
    yield* this.#transaction("upkeep", host);
  }

  /** Does something again and again, on each host at other moments. */
  *#every(intervalMs, work) {
    yield this.simulation.delay(this.#random() * intervalMs);
    while (!this.#isOver()) {
      yield* work();
      yield this.simulation.delay(intervalMs);
    }
  }

  /** A backlog ends when all of it is settled. */
  #isOver() {
    const isBacklog = this.#situation.backlog !== undefined;
    return isBacklog && this.#waiting.length === 0 && this.#running === 0;
  }

  // The database

  /**
   * One operation: its statements one after the other, each with a round trip; then the commit, which waits until it
   * is on disk. Commits of the same moment share a flush of the disk. Commits with NOTIFY do not: Postgres holds one
   * lock until such a commit is on disk.
   */
  *#transaction(kind, host) {
    this.#counts[kind] += 1;
    const { roundTripMs } = this.#situation;
    const { hostMs, databaseMs, databaseMsPerRun, roundTrips, commit } =
      this.#times.operations[kind];
    yield this.simulation.delay(roundTrips * roundTripMs);
    yield* this.#hostWork(hostMs, host);
    yield* this.#cores.use(databaseMs + databaseMsPerRun * this.#running);
    if (commit === "plain" || commit === "notify_after") {
      yield this.simulation.delay(this.#times.flushMs);
    }
    if (commit === "notify" || commit === "notify_after") {
      yield* this.#notify(commit === "notify" ? this.#times.flushMs : 0);
    }
  }

  /** The program's own part. `host` is undefined for a program of which there is only one operation. */
  *#hostWork(ms, host) {
    if (host === undefined) return yield this.simulation.delay(ms);
    yield host.thread.acquire();
    if (this.#situation.isOneMachine) yield* this.#cores.use(ms);
    else yield this.simulation.delay(ms);
    host.thread.release(ms);
  }

  /**
   * Every NOTIFY wakes all connections that listen, whatever they listen to. They read it at the same time, while the
   * sender goes on.
   */
  *#notify(flushMs) {
    const { hosts, wake } = this.#situation;
    yield this.#notifyLock.acquire();
    yield this.simulation.delay(flushMs);
    this.#notifyLock.release(flushMs);
    if (wake === "poll") return;
    this.simulation.start(this.#cores.use(this.#times.signalMs * hosts));
  }

  #exponential(mean) {
    return -mean * Math.log(1 - this.#random());
  }
}
