import { randomUUID } from "node:crypto";
import type { Options } from "../options/index.js";

/** An id of our own, so that it is known from the start. */
export function withId(options: Options): Options {
  return hasOwnSession(options) ? options : { ...options, sessionId: randomUUID() };
}

/** Whether the options say which session it is to be. */
export function hasOwnSession({ sessionId, resume, continue: goesOn }: Options): boolean {
  return sessionId !== undefined || resume !== undefined || goesOn === true;
}
