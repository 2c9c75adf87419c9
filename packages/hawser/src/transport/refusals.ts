import { type ErrorFacts, HawserError } from "../base/index.js";

export function notConnected(): HawserError {
  return new HawserError("closed", "The line is not connected yet.", {
    hint: "Await connect() first.",
  });
}

export function inputEnded(facts: ErrorFacts = {}): HawserError {
  return new HawserError("closed", "The input of this line has ended.", facts);
}
