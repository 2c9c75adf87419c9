// The right outcomes of each cell. Outcomes are `ok`, the code of an error, with its phase behind it for a
// timeout, and for query() also `end`: the iteration ended without an error and without a result.
import { signalOf } from "./plan.js";
import { BEGINNING, isAsking, lingerOf } from "./scenario.js";

/** Limits of cells that must reach a limit; long enough to reach the step before. */
const BOOT_MS = 10_000;
const SILENCE_MS = 5_000;
const TOTAL_MS = 15_000;
/** How long the caller of a query, which has no such limits, waits before it aborts. */
const PATIENCE_MS = 500;
/** The time for a process to exit by itself when it is closed. It is killed after twice that time. */
const GRACE_MS = 1_000;
/** Added to all limits for a busy machine, and for the start of one more process. */
const SLACK_MS = 15_000;
const START_MS = 30_000;
/** The library's own limits for the version, and for the exit of a query that has its result. */
const VERSION_MS = 5_000;
const EXIT_MS = 10_000;

const BOOT = ["start", "initialize", "settings"];
const AFTER_BEGINNING = ["middle", "permission", "hook", "tool", "half"];

/** The right outcomes. There is more than one where the outcome depends on timing. */
export function expected(cell) {
  const { step, entry } = cell;
  // Without an answer the version is unknown, and the start goes on.
  if (step === "version") return ["ok"];
  if (step === "interrupt") return expectedOfInterrupt(cell);
  if (step === "clear" && entry === "pool") return ["ok"];
  if (step === "result" || step === "eof") return expectedAfterResult(cell);
  if (BOOT.includes(step)) return entry === "pool" ? inPoolAtStart(cell) : atStart(cell);
  if (step === "initialized") return onceReady(cell);
  return inTurn(cell);
}

/** The CLI asks for the tools of the in-process server at its start, and exits if it cannot read the answer. */
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
      // The prompt was sent before, and is lost with the unread input.
      return entry === "query" ? ["aborted", UNHEARD] : ["timeout/firstMessage", "closed", UNHEARD];
    default:
      return died(cell);
  }
}

/** The prompt was not sent yet, so that another process serves the call, unless the exit code was a refusal. */
function inPoolAtStart(cell) {
  const { step, fault, warm } = cell;
  if (warm || fault === "garbage") return ["ok"];
  if (fault === "stall") return ["timeout/boot"];
  if (fault === "stdin" && step === "start") return ["timeout/boot"];
  // A ready session belongs to its caller.
  if (fault === "stdin") return cell.way === "session" ? ["closed", UNHEARD] : ["ok"];
  // Death by a signal. The library sends one itself when the process is useless.
  if (fault === "stdout" || deathOf(cell).signal !== undefined) return ["ok"];
  return died(cell);
}

/** The prompt may have been sent already, or not. */
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
      // Garbage makes the current line unreadable, which matters only for the result.
      return step === "half" ? ["protocol_error"] : ["ok"];
    case "stall":
      return [entry === "query" ? "aborted" : `timeout/${limitAt(cell)}`];
    case "stdin":
      // The CLI has asked, and cannot read the answer.
      return isAsking(cell) ? ["process_exited"] : ["ok"];
    default:
      return died(cell);
  }
}

/** The limit that a silent CLI exceeds. */
function limitAt(cell) {
  // A tool has no limit of its own.
  if (isAsking(cell)) return "total";
  return AFTER_BEGINNING.includes(cell.step) ? "idle" : "firstMessage";
}

function expectedOfInterrupt(cell) {
  const { fault, entry } = cell;
  // An aborted call ends as aborted, whatever happens meanwhile.
  if (entry !== "session" && entry !== "query") return ["aborted"];
  if (fault === "garbage" || fault === "stdin") return ["aborted"];
  if (fault === "stall") return [entry === "query" ? "aborted" : "timeout/idle"];
  return died(cell);
}

/** A received result wins. Only query() also reports how the process ended, as the official SDK does. */
function expectedAfterResult(cell) {
  const { fault, entry } = cell;
  if (entry !== "query" || fault === "stall" || fault === "garbage" || fault === "stdin") {
    return ["ok"];
  }
  if (fault === "stdout") return ["ok", "process_exited"];
  return fault === "cut" && cell.cutEnds === "0" ? ["ok", "protocol_error"] : ["process_exited"];
}

/** The process exited, or was ended because it was useless. */
function died({ fault, entry, cutEnds }) {
  // If the process then exits with 0, query() ends without an error.
  if (fault === "stdout") return entry === "query" ? ["process_exited", "end"] : ["process_exited"];
  // The process exited with 0, but its last line was cut off.
  if (fault === "cut" && cutEnds === "0") return ["protocol_error", "process_exited"];
  return ["process_exited"];
}

/** How the process ended. A CLI that handles SIGTERM exits by itself. */
export function deathOf(cell) {
  const { fault, cutEnds } = cell;
  if (fault === "kill") return { signal: "SIGKILL" };
  if (fault === "term")
    return signalOf(cell) ? { signal: "SIGTERM", exitCode: 143 } : { signal: "SIGTERM" };
  if (fault !== "cut") return {};
  return cutEnds === "SIGKILL" ? { signal: cutEnds } : { exitCode: Number(cutEnds) };
}

/** The limits of the call. The limits that it must reach are short. */
export function timeoutsOf(cell) {
  const { entry, fault, warm, scale } = cell;
  const limits = new Set(expected(cell).map((outcome) => outcome.split("/")[1]));
  // A useless spare delays its call by this limit, and then another process serves.
  const isDelayed = entry === "pool" && warm && (fault === "stall" || fault === "stdin");
  return {
    ...(limits.has("boot") || isDelayed ? { bootMs: BOOT_MS * scale } : {}),
    ...(limits.has("firstMessage") ? { firstMessageMs: SILENCE_MS * scale } : {}),
    ...(limits.has("idle") ? { idleMs: SILENCE_MS * scale } : {}),
    ...(limits.has("total") ? { totalMs: TOTAL_MS * scale } : {}),
  };
}

/** If the step is the end of input, no signal may come before the CLI has read it. */
export function graceOf({ step, scale }) {
  return (step === "eof" ? 4 : 1) * GRACE_MS * scale;
}

/** When the caller of a query aborts, counted from the step; never, if something else ends the query. */
export function patienceOf(cell) {
  const isStuck = cell.entry === "query" && expected(cell).includes("aborted");
  return isStuck && cell.fault !== "garbage" ? PATIENCE_MS : undefined;
}

/** The limit from the fault to the outcome. A cell that exceeds it hangs. */
export function limitOf(cell) {
  const { bootMs = 0, firstMessageMs = 0, idleMs = 0, totalMs = 0 } = timeoutsOf(cell);
  const own = cell.step === "version" ? VERSION_MS : 0;
  const exit = cell.entry === "query" ? EXIT_MS : 0;
  const limits = Math.max(bootMs, firstMessageMs, idleMs, totalMs, own, exit);
  return limits + 2 * graceOf(cell) + (SLACK_MS + (startsLater(cell) ? START_MS : 0)) * cell.scale;
}

/** The limit from the begin of a cell, with the start of its process. */
export function wholeLimitOf(cell) {
  return limitOf(cell) + START_MS * cell.scale + lingerOf(cell);
}

function startsLater({ step, entry }) {
  return step === "version" || step === "start" || entry === "pool";
}

/** The problems of the outcome of a cell. */
export function problemsOf(cell, report) {
  const { outcome, signal, exitCode, partialText, stderrTail, settleMs, seen, noise } = report;
  const problems = [...(report.problems ?? [])];
  // On a busy machine a call may not use the spare, and then no fault happens.
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
    // A signal from outside may come before any output.
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
 * Blank lines are no noise, and a message of a later version is a message. Lines after the outcome, or
 * of an idle process of a pool, are not reported to the caller.
 */
function isNoise({ fault, garbage, step, entry }) {
  const isHeard = entry !== "pool" && !["version", "result", "eof"].includes(step);
  return fault === "garbage" && isHeard && garbage !== 2 && garbage !== 6;
}
