// Three reviewers judge the same text in parallel and vote. Shows `ClaudeCliProvider`, which has
// the interface of an earlier system called MAGI (see docs/source-systems.md).
//
//   git diff | node magi-reviewers.js
//
// A reviewer that fails does not vote; its error is printed. The exit code is 0 if more than half
// of the votes approve, and 1 otherwise.
import { text } from "node:stream/consumers";
import { ClaudeCliProvider, toMagiError } from "hawser/providers";

const FORM = "Answer with APPROVE or REJECT on the first line, and then one sentence why.";

const COUNCIL = [
  { name: "correctness", model: "opus", system: `You look only for what is wrong. ${FORM}` },
  { name: "security", model: "sonnet", system: `You look only for what can be abused. ${FORM}` },
  { name: "simplicity", model: "haiku", system: `You look only for needless parts. ${FORM}` },
];

const subject = await text(process.stdin);
const votes = await Promise.allSettled(COUNCIL.map(judge));

for (const [i, vote] of votes.entries()) {
  const name = COUNCIL[i]?.name.padEnd(12);
  if (vote.status === "fulfilled") {
    console.log(`${name} ${vote.value.approves ? "approves" : "rejects "}  ${vote.value.why}`);
  } else {
    console.log(`${name} absent    ${told(toMagiError(vote.reason))}`);
  }
}

const given = votes.flatMap((vote) => (vote.status === "fulfilled" ? [vote.value.approves] : []));
const approvals = given.filter(Boolean).length;
console.log(`${approvals} of ${given.length} approve`);
process.exitCode = approvals * 2 > given.length ? 0 : 1;

/** @param {{ model: string, system: string }} reviewer */
async function judge({ model, system }) {
  const provider = new ClaudeCliProvider(model);
  const answer = await provider.complete(system, subject, {
    maxTokens: 2000,
    signal: AbortSignal.timeout(300_000),
  });
  const [verdict = "", ...why] = answer.trim().split("\n");
  if (!/^(APPROVE|REJECT)\b/.test(verdict)) throw new Error(`no verdict: ${verdict}`);
  return { approves: verdict.startsWith("APPROVE"), why: why.join(" ").trim() };
}

/** @param {import("hawser/providers").MagiError} error */
function told(error) {
  switch (error.kind) {
    case "Http":
      return `Http ${error.status}: ${error.body}`;
    case "Process":
      return `Process: ${error.stderr}`;
    case "NestedSession":
      return "NestedSession: run it outside of Claude Code.";
    default:
      return `${error.kind}: ${error.message}`;
  }
}
