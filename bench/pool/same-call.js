// That all competitors ask for the same is not believed but seen, at the model.
import { deepStrictEqual } from "node:assert";

/** Checks a competitor's one request of a round against those of the others in it. */
export function sameCall() {
  let first;
  return (label, requests) => {
    const calls = requests.map(({ body }) => comparable(body));
    first ??= calls;
    const message = `${label} asked the model for something else than the others`;
    if (calls.length !== 1) throw new Error(`${message}: ${calls.length} requests`);
    deepStrictEqual(calls, first, message);
  };
}

/** Less what has to differ: ids, the number in the system prompt, what a reset leaves. */
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

/** The number, and the digest of the first message's text that the CLI puts behind its version. */
const VARYING = /\d{4}$|cc_version=\S+/;
const RESIDUE = /^\s*<(local-command-caveat|command-name|local-command-stdout)>/;
