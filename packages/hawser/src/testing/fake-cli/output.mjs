// Writes output, with the id of the session.
import { randomUUID } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isNew } from "./scenario.mjs";
import { firstSession } from "./transcript.mjs";

let stdoutOpen = true;
let state;
let sessionId = firstSession;

export function session() {
  return sessionId;
}

/** Starts a new session for all later output. */
export function beginSession() {
  sessionId = randomUUID();
}

/**
 * Resolves when the host has read the bytes, so that a host that does not read blocks this program.
 * @returns {Promise<void> | undefined}
 */
export function write(data) {
  if (!stdoutOpen) return undefined;
  return new Promise((resolve) => process.stdout.write(data, () => resolve()));
}

export function print(message) {
  const { session_id = sessionId, uuid = randomUUID() } = message;
  return write(`${JSON.stringify({ ...message, session_id, uuid })}\n`);
}

export function answer(event, response) {
  const { subtype, ...rest } = response;
  const request_id = event.message.request_id;
  return write(
    `${JSON.stringify({ type: "control_response", response: { subtype, request_id, ...rest } })}\n`,
  );
}

/** @returns {Promise<void>} */
export function writeError(text) {
  return new Promise((resolve) => process.stderr.write(text, () => resolve()));
}

export async function fail(code, text) {
  await writeError(`${text}\n`);
  process.exit(code);
}

export function closeStdout() {
  stdoutOpen = false;
  reopen(1, "w");
}

/** Closes a standard stream, and reopens its descriptor so that no other file gets the number. */
export function reopen(fd, mode) {
  closeSync(fd);
  openSync(devNull, mode);
}

/** Whether a state was reported. */
export function tellsStates() {
  return state !== undefined;
}

/** Prints the state if it has changed, and if the host and the scenario's version know states. */
export async function tellState(next) {
  if (process.env.CLAUDE_CODE_SDK_READS_SESSION_STATE !== "1" || !isNew() || next === state) return;
  state = next;
  await print({
    type: "system",
    subtype: "session_state_changed",
    state: next,
    sdk_host_only: true,
  });
}

/** Reports the progress of a prompt. The real CLI reports only prompts that have an id. */
export async function tellProgress(uuid, ...states) {
  if (uuid === undefined) return;
  for (const state of states) {
    await print({ type: "command_lifecycle", command_uuid: uuid, state });
  }
}
