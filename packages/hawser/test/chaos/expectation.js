// What is right in each cell. Outcomes are `ok`, the code of an error, with its phase behind it for a
// timeout, and for query() also `end`: the iteration ended without an error and without a result.
import { signalOf } from "./plan.js";
import { BEGINNING, isAsking, lingerOf } from "./scenario.js";

/** Limits of cells in which one must be reached; long enough to reach the step before. */
const BOOT_MS = 10_000;
const SILENCE_MS = 5_000;
const TOTAL_MS = 15_000;
/** How long the caller of a query, which has no such limits, waits before it aborts. */
const PATIENCE_MS = 500;
/** For a process to leave by itself when it is closed; twice that, until it is killed. */
const GRACE_MS = 1_000;
/** On top of all limits: for a busy machine to act in, and to start one more process. */
const SLACK_MS = 15_000;
const START_MS = 30_000;
/** The library's own limits for the version, and for the exit of a query that has its result. */
const VERSION_MS = 5_000;
const EXIT_MS = 10_000;

const BOOT = ["start", "initialize", "settings"];
const AFTER_BEGINNING = ["middle", "permission", "hook", "tool", "half"];

/** The outcomes that are right. More than one where it depends on who is faster. */
export function expected(cell) {
  const { step, entry } = cell;
  // What it does not say is not known, and the start goes on.
  if (step === "version") return ["ok"];
  if (step === "interrupt") return expectedOfInterrupt(cell);
  if (step === "clear" && entry === "pool") return ["ok"];
  if (step === "result" || step === "eof") return expectedAfterResult(cell);
  if (BOOT.includes(step)) return entry === "pool" ? inPoolAtStart(cell) : atStart(cell);
  if (step === "initialized") return onceReady(cell);
  return inTurn(cell);
}

/** It asks for the tools of the server in process as it starts: an answer that it cannot hear ends it. */
const UNHEARD = "process_exited";

function atStart(cell) {
  const { step, fault, entry } = cell;
  switch (fault) {
    case "garbage":
      return ["ok"];
    case "stall":
      return ["timeout/boot"];
    case "stdin":
      if (step === "start") return ["timeout/boot"];
      if (step === "settings" || entry === "session") return ["closed", UNHEARD];
      // The prompt was on its way before; it is lost with what has not been read.
      return entry === "query" ? ["aborted", UNHEARD] : ["timeout/firstMessage", "closed", UNHEARD];
    default:
      return died(cell);
  }
}

/** Nothing was sent yet, so another process serves; not in place of one that said no by its exit code. */
function inPoolAtStart(cell) {
  const { step, fault, warm } = cell;
  if (warm || fault === "garbage") return ["ok"];
  if (fault === "stall") return ["timeout/boot"];
  if (fault === "stdin" && step === "start") return ["timeout/boot"];
  // A session is its caller's when it is ready.
  if (fault === "stdin") return cell.way === "session" ? ["closed", UNHEARD] : ["ok"];
  // By a signal, which we send where it can be of no use any more.
  if (fault === "stdout" || deathOf(cell).signal !== undefined) return ["ok"];
  return died(cell);
}

/** The prompt may just be on its way, or not. */
function onceReady(cell) {
  const { fault, entry } = cell;
  if (fault === "stdin") {
    const unread = entry === "query" ? "aborted" : "timeout/firstMessage";
    const outcomes = ["ok", unread, UNHEARD];
    return entry === "pool" && cell.way !== "session" ? outcomes : [...outcomes, "closed"];
  }
  const outcomes = inTurn({ ...cell, step: "prompt" });
  return entry === "pool" && fault !== "stall" ? ["ok", ...outcomes] : outcomes;
}

function inTurn(cell) {
  const { step, fault, entry } = cell;
  switch (fault) {
    case "garbage":
      // It makes the line unreadable that is just being printed; only the result is missed.
      return step === "half" ? ["protocol_error"] : ["ok"];
    case "stall":
      return [entry === "query" ? "aborted" : `timeout/${limitAt(cell)}`];
    case "stdin":
      // It has asked, and cannot be answered.
      return isAsking(cell) ? ["process_exited"] : ["ok"];
    default:
      return died(cell);
  }
}

/** Which limit a silent CLI passes. */
function limitAt(cell) {
  // A tool may take as long as it likes.
  if (isAsking(cell)) return "total";
  return AFTER_BEGINNING.includes(cell.step) ? "idle" : "firstMessage";
}

function expectedOfInterrupt(cell) {
  const { fault, entry } = cell;
  // What the caller has called off ends as that, whatever happens on the way.
  if (entry !== "session" && entry !== "query") return ["aborted"];
  if (fault === "garbage" || fault === "stdin") return ["aborted"];
  if (fault === "stall") return [entry === "query" ? "aborted" : "timeout/idle"];
  return died(cell);
}

/** A result that was seen wins; only query() also tells how the process ended, as the official SDK does. */
function expectedAfterResult(cell) {
  const { fault, entry } = cell;
  if (entry !== "query" || fault === "stall" || fault === "garbage" || fault === "stdin") {
    return ["ok"];
  }
  if (fault === "stdout") return ["ok", "process_exited"];
  return fault === "cut" && cell.cutEnds === "0" ? ["ok", "protocol_error"] : ["process_exited"];
}

/** It ended by itself, or could not be of use any more and was ended. */
function died({ fault, entry, cutEnds }) {
  // One that then leaves in good order has, for query(), just ended.
  if (fault === "stdout") return entry === "query" ? ["process_exited", "end"] : ["process_exited"];
  // It left in good order, but for its last words.
  if (fault === "cut" && cutEnds === "0") return ["protocol_error", "process_exited"];
  return ["process_exited"];
}

/** How it ended; a CLI that is told to by SIGTERM leaves by itself, once it listens. */
export function deathOf(cell) {
  const { fault, cutEnds } = cell;
  if (fault === "kill") return { signal: "SIGKILL" };
  if (fault === "term")
    return signalOf(cell) ? { signal: "SIGTERM", exitCode: 143 } : { signal: "SIGTERM" };
  if (fault !== "cut") return {};
  return cutEnds === "SIGKILL" ? { signal: cutEnds } : { exitCode: Number(cutEnds) };
}

/** The limits that the call is given; those that it must reach are short. */
export function timeoutsOf(cell) {
  const { entry, fault, warm, scale } = cell;
  const limits = new Set(expected(cell).map((outcome) => outcome.split("/")[1]));
  // A process that was started ahead and is of no use costs its caller this, then another serves.
  const isDelayed = entry === "pool" && warm && (fault === "stall" || fault === "stdin");
  return {
    ...(limits.has("boot") || isDelayed ? { bootMs: BOOT_MS * scale } : {}),
    ...(limits.has("firstMessage") ? { firstMessageMs: SILENCE_MS * scale } : {}),
    ...(limits.has("idle") ? { idleMs: SILENCE_MS * scale } : {}),
    ...(limits.has("total") ? { totalMs: TOTAL_MS * scale } : {}),
  };
}

/** Where the end of input is the step, a signal must not come before it is read. */
export function graceOf({ step, scale }) {
  return (step === "eof" ? 4 : 1) * GRACE_MS * scale;
}

/** When the caller of a query gives up, counted from the step; never, if something else ends it. */
export function patienceOf(cell) {
  const isStuck = cell.entry === "query" && expected(cell).includes("aborted");
  return isStuck && cell.fault !== "garbage" ? PATIENCE_MS : undefined;
}

/** From the fault to the outcome; past this it hangs. */
export function limitOf(cell) {
  const { bootMs = 0, firstMessageMs = 0, idleMs = 0, totalMs = 0 } = timeoutsOf(cell);
  const own = cell.step === "version" ? VERSION_MS : 0;
  const exit = cell.entry === "query" ? EXIT_MS : 0;
  const limits = Math.max(bootMs, firstMessageMs, idleMs, totalMs, own, exit);
  return limits + 2 * graceOf(cell) + (SLACK_MS + (startsLater(cell) ? START_MS : 0)) * cell.scale;
}

/** The same from its begin: it has to be started first. */
export function wholeLimitOf(cell) {
  return limitOf(cell) + START_MS * cell.scale + lingerOf(cell);
}

function startsLater({ step, entry }) {
  return step === "version" || step === "start" || entry === "pool";
}

/** What is wrong with what a cell has come to. */
export function problemsOf(cell, report) {
  const { outcome, signal, exitCode, partialText, stderrTail, settleMs, seen, noise } = report;
  const problems = [...(report.problems ?? [])];
  // A busy machine may pass by a process that was started ahead: then nothing has gone wrong.
  if (settleMs === undefined && cell.warm && outcome === "ok") return problems;
  const say = (what) => problems.push(what);
  const right = expected(cell);
  if (!right.includes(outcome)) say(`came to ${outcome} instead of ${right.join(" or ")}`);
  if (settleMs === undefined) say("the step was never reached");
  else if (settleMs > limitOf(cell)) say(`took ${Math.round(settleMs)} ms`);
  if (isNoise(cell) && noise === 0) say("told nobody of the garbage");
  if (outcome === "process_exited") {
    const death = deathOf(cell);
    const isKnown = death.signal !== undefined || death.exitCode !== undefined;
    const fits = signal === undefined ? exitCode === death.exitCode : signal === death.signal;
    if (isKnown && !fits) say(`says that it ended by ${signal ?? exitCode}`);
    // From outside it may come before it has said anything.
    const hasSaid = cell.entry !== "pool" && signalOf(cell) === undefined;
    if (hasSaid && !stderrTail?.includes("chaos")) say("lost what was on stderr");
  }
  if (!AFTER_BEGINNING.includes(cell.step) || outcome === "ok") return problems;
  if (cell.entry !== "query" && !partialText?.startsWith(BEGINNING)) say("lost the partial text");
  if (seen !== undefined && !["system", "stream_event"].every((type) => seen.includes(type))) {
    say(`lost messages: only ${seen} were seen`);
  }
  return problems;
}

/**
 * Blank lines are none, and a message of a later version is one. What comes behind the outcome, or to
 * a process that a pool has ready, is not told to the caller.
 */
function isNoise({ fault, garbage, step, entry }) {
  const isHeard = entry !== "pool" && !["version", "result", "eof"].includes(step);
  return fault === "garbage" && isHeard && garbage !== 2 && garbage !== 6;
}
