#!/usr/bin/env node
// The program behind replay(): it plays one take of a cassette to a host. Output that the CLI printed
// after a line of the host is printed when the host has sent that line. Times do not matter.
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { argumentDifference, flagValue, isConversation, sameIds } from "./arguments.mjs";
import { claimTake, here } from "./claim-take.mjs";
import { Ids } from "./ids.mjs";
import { Inbox } from "./inbox.mjs";
import { stringify } from "./json.mjs";
import { Loose } from "./loose.mjs";
import { createMask } from "./mask.mjs";
import { outlet, write } from "./outlet.mjs";
import { contentOf, Strict } from "./strict.mjs";

const { mode, cli, takes } = JSON.parse(readFileSync(here("./cassette.json"), "utf8"));
const argv = process.argv.slice(2);

/** The CLI's exit code at a signal that was not recorded. */
const SIGNALS = { SIGTERM: 143, SIGINT: 0, SIGHUP: 129 };

/** An exit code that neither the CLI nor a shell uses. */
const MISMATCH = 70;

const stdout = outlet(1);
const stderr = outlet(2);
for (const stream of [stdout, stderr]) {
  stream.on("error", () => {
    // The host reads no more, and will end its side, too.
  });
}
const mask = createMask();
const ids = new Ids();
const asked = new Set();
const signals = [];
let position = 0;
let leap;
let take;

async function main() {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    await write(stdout, `${cli}\n`);
    process.exit(0);
  }
  // Keeps the process alive until the take ends, even if the pipes close.
  setInterval(() => {}, 2 ** 30);
  const given = argv.map(mask.hideArgument);
  take = chooseTake(given);
  if (take === undefined) await fail(undefined, usedUp());
  const found = mode === "strict" ? argumentDifference(take.argv, given) : undefined;
  if (found !== undefined) await fail(take, found.message, found);
  learnIds(given);
  await play();
}

/** The first take that was not played yet and has the same arguments, or at least the same purpose. */
function chooseTake(given) {
  const same = (each) => argumentDifference(each.argv, given) === undefined;
  const alike = (each) => mode === "strict" || isConversation(each.argv) === isConversation(given);
  return takes.filter(same).find(isFree) ?? takes.filter(alike).find(isFree);
}

function isFree({ take }) {
  return claimTake(take);
}

function usedUp() {
  const kind = isConversation(argv) ? "conversation" : "call that is no conversation";
  return `there is no further ${kind} in the cassette, which has ${takes.length} takes`;
}

function learnIds(given) {
  sameIds(take.argv, argv, ids);
  const named = flagValue(given, "--session-id");
  if (named === undefined || flagValue(take.argv, "--session-id") !== undefined) return;
  const first = take.entries.find(({ kind, json }) => kind === "out" && json?.session_id);
  ids.learn(first?.json.session_id, named);
}

async function play() {
  let part;
  const inbox = new Inbox(process.stdin, (value) => part.receive(value));
  part = new (mode === "strict" ? Strict : Loose)({ take, inbox, ids, mask, asked, fail, print });
  for (const signal of Object.keys(SIGNALS)) {
    process.on(signal, () => {
      signals.push(signal);
      const next = take.entries.findIndex((each, at) => at >= position && each.signal === signal);
      if (next === -1) process.exit(SIGNALS[signal]);
      leap?.(next);
      inbox.wake();
    });
  }
  while (position < take.entries.length) {
    const entry = take.entries[position];
    const leapt = new Promise((resolve) => {
      leap = resolve;
    });
    const target = await Promise.race([leapt, step(entry, part, inbox)]);
    position = typeof target === "number" ? target : position + 1;
  }
  return unended(part, inbox);
}

/** Returns the index to continue at, if that is not the next entry. */
async function step(entry, part, inbox) {
  if (entry.kind === "out") return show(entry, part);
  if (entry.kind === "err") return write(stderr, raw(entry));
  if (entry.kind === "exit") return leave(entry.code, entry.signal);
  if (entry.kind === "eof") return part.end(entry);
  if (entry.kind === "signal") return inbox.until(() => signals.includes(entry.signal));
  const isOver = await part.line(entry);
  return isOver === true ? leave(take.entries.at(-1).code ?? 0, null) : undefined;
}

async function show(entry, part) {
  const value = part.shown(contentOf(entry));
  if (value === undefined) return undefined;
  if (value?.type === "control_request") asked.add(value.request_id);
  return entry.json === undefined ? write(stdout, raw(entry)) : print(value, endOf(entry));
}

function print(value, end = "\n") {
  const own = mask.reveal(ids.translate(value));
  // The recorded process id may belong to another process now.
  if (typeof own?.response?.response?.pid === "number") own.response.response.pid = process.pid;
  return write(stdout, stringify(own) + end);
}

function raw(entry) {
  const { text, latin1 } = entry;
  const own = mask.reveal(ids.translate(text ?? latin1)) + endOf(entry);
  return Buffer.from(own, text === undefined ? "latin1" : "utf8");
}

function endOf({ newline }) {
  return newline === false ? "" : "\n";
}

/** A take without an end is played to its last entry. It ends well only if the host expects no more. */
async function unended(part, inbox) {
  await inbox.until(() => inbox.ended || isUnanswered() || part.hasMore());
  if (inbox.ended && !isUnanswered() && !part.hasMore()) return leave(0, null);
  const { line } = take.entries.at(-1) ?? take;
  const why = "its recorder was killed, or the file is cut";
  return fail(undefined, `the recording ends at line ${line}; ${why}`, { line });
}

/** Whether the cassette lacks the result of a prompt or the answer to a request of the host. */
function isUnanswered() {
  const said = (kind) => take.entries.filter((each) => each.kind === kind);
  const last = (kind, type) => said(kind).findLast((each) => contentOf(each)?.type === type)?.line;
  if ((last("in", "user") ?? 0) > (last("out", "result") ?? 0)) return true;
  const answers = said("out").map((each) => contentOf(each)?.response?.request_id);
  const requests = said("in")
    .map(contentOf)
    .filter((each) => each?.type === "control_request");
  return requests.some(({ request_id }) => !answers.includes(request_id));
}

async function leave(code, signal) {
  await Promise.all([write(stdout, ""), write(stderr, "")]);
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(1000);
  return process.exit(1);
}

/**
 * Ends the replay, with the reason on stderr and in the list of mismatches.
 * @param {any} entry
 * @param {string} message
 * @param {{ path?: string, line?: number | null }} [place]
 */
async function fail(entry, message, { path, line = entry?.line ?? null } = {}) {
  const where = { take: take?.take ?? null, line };
  const mismatch = { ...where, ...(path === undefined ? {} : { path }), message };
  appendFileSync(here("./mismatches.jsonl"), `${JSON.stringify(mismatch)}\n`);
  const at = [where.take && `take ${where.take}`, entry && `line ${entry.line}`];
  const place = at.filter(Boolean).map((name) => `${name}: `);
  await write(stderr, `hawser cassette: ${place.join("")}${message}\n`);
  return leave(MISMATCH, null);
}

await main();
