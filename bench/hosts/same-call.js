// Checks at the model that all competitors send the same request.
import { deepStrictEqual } from "node:assert";

/** Compares a competitor's request with those of the others in the same round. */
export function sameCall() {
  let first;
  let current;
  return (label, requests, round) => {
    const calls = requests.map(({ body }) => comparable(body));
    if (round !== current) [first, current] = [calls, round];
    const message = `${label} asked the model for something else than the others`;
    if (calls.length !== 1) throw new Error(`${message}: ${calls.length} requests`);
    deepStrictEqual(calls, first, message);
  };
}

/** The request without the parts that must differ: ids, the number in the system prompt, traces of a reset. */
function comparable({ metadata, system, messages, ...body }) {
  return {
    ...body,
    system: system.map(({ text, ...block }) => ({ ...block, text: text.replace(VARYING, "") })),
    messages: messages.map(({ content, ...message }) => ({
      ...message,
      content: content.filter(({ text }) => !RESIDUE.test(text)),
    })),
  };
}

/** The number, and the digest of the first message that the CLI appends to its version. */
const VARYING = /\d{4}$|cc_version=\S+/;
const RESIDUE = /^\s*<(local-command-caveat|command-name|local-command-stdout)>/;
