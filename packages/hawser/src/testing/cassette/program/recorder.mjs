#!/usr/bin/env node
// The program behind record(): it runs between a host and the real CLI, passes every byte on in both
// directions, and writes the lines to a cassette.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { claimTake, here } from "./claim-take.mjs";
import { startGuard } from "./guard.mjs";
import { Lines } from "./lines.mjs";
import { createMask } from "./mask.mjs";
import { outlet, write } from "./outlet.mjs";
import { Tape } from "./tape.mjs";

const { file, cli, script } = JSON.parse(readFileSync(here("./recorder.json"), "utf8"));
const argv = process.argv.slice(2);
/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/** How long to wait for the rest of a dead CLI's output, because another process may hold the pipes open. */
const QUIET_MS = 500;

const stdout = outlet(1);
const stderr = outlet(2);
let passed = 0;

async function main() {
  const tape = asksVersion() ? undefined : openTape();
  const child = spawn(script ? process.execPath : cli, script ? [cli, ...argv] : argv, {
    stdio: "pipe",
    // In a group of its own, so that a signal to our group reaches it once, through us, and not twice.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  child.once("error", (error) => refuse(`cannot start ${cli}: ${error.message}`, 127));
  tape?.start(argv, process.env);
  const release = startGuard(child.pid);
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      tape?.add("signal", { signal });
      child.kill(signal);
    });
  }
  pump(process.stdin, child.stdin, "in", tape);
  pump(child.stdout, stdout, "out", tape);
  pump(child.stderr, stderr, "err", tape);

  const closed = once(child, "close").then(() => true);
  const [code, signal] = await once(child, "exit");
  await drained(closed);
  tape?.add("exit", { code, signal });
  tape?.close();
  release();
  leave(code, signal);
}

function asksVersion() {
  return argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v");
}

function openTape() {
  try {
    let take = 1;
    while (!claimTake(take)) take += 1;
    return new Tape(file, take, createMask(), ({ message }) => complain(`stopped: ${message}`));
  } catch (error) {
    return refuse(`cannot record to ${file}: ${error.message}`, 73);
  }
}

function complain(text) {
  process.stderr.write(`hawser cassette: ${text}\n`);
}

function refuse(text, code) {
  complain(text);
  process.exit(code);
}

/** Passes bytes on before they are parsed. A side that does not read blocks the other one. */
function pump(from, to, kind, tape) {
  const lines = new Lines((line, ended) => tape?.line(kind, line, ended));
  from.on("data", (chunk) => {
    passed += chunk.length;
    if (!to.write(chunk)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
    if (tape !== undefined) lines.push(chunk);
  });
  from.on("end", () => {
    to.end();
    lines.end();
    if (kind === "in") tape?.add("eof");
  });
  from.on("error", () => to.end());
  // The writer must notice that the stream has no reader.
  to.on("error", () => from.destroy());
}

async function drained(closed) {
  for (let before = -1; before !== passed || isHeldUp(); ) {
    before = passed;
    if (await Promise.race([closed, sleep(QUIET_MS, false)])) break;
  }
  await Promise.all([stdout, stderr].map((stream) => write(stream, "")));
}

function isHeldUp() {
  return stdout.writableNeedDrain || stderr.writableNeedDrain;
}

/** Ends this process as the CLI has ended. */
async function leave(code, signal) {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(1000);
  process.exit(1);
}

await main();
