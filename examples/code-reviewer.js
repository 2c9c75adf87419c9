// Reviews the changes of a git repository. Shows `complete()` with a `schema` and read-only tools.
//
//   node code-reviewer.js                 reviews uncommitted changes
//   node code-reviewer.js main...HEAD     reviews the changes of a branch
//
// The model can read the project and do nothing else. The exit code is 1 if a finding is severe, so
// that CI can use it.
import { execFileSync } from "node:child_process";
import { complete, ERROR_CODES, isHawserError } from "hawser";

/** @typedef {{ file: string, line: number, severity: "severe" | "minor", problem: string }} Finding */

const FINDINGS = {
  type: "object",
  properties: {
    findings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          file: { type: "string" },
          line: { type: "integer", minimum: 1 },
          severity: { enum: ["severe", "minor"] },
          problem: { type: "string" },
        },
        required: ["file", "line", "severity", "problem"],
      },
    },
  },
  required: ["findings"],
};

const [range = "HEAD"] = process.argv.slice(2);
const diff = git("diff", range, "--");

if (diff === "") console.log("Nothing to review.");
else await review();

async function review() {
  try {
    const { value, costUsd } = await complete(`Review this change:\n\n${diff}`, {
      systemPrompt:
        "You review changes to code. Look into the files where the diff does not tell enough. " +
        "Severe is what breaks, leaks or loses something. No praise, no matters of taste.",
      schema: FINDINGS,
      cwd: git("rev-parse", "--show-toplevel").trim(),
      // These two tools may read inside `cwd` without approval. Without a callback, all other calls
      // are refused.
      tools: ["Read", "Grep"],
      disallowedTools: ["Read(./.env*)"],
      maxTurns: 30,
    });
    const { findings } = /** @type {{ findings: Finding[] }} */ (value);
    for (const { file, line, severity, problem } of findings) {
      console.log(`${file}:${line}: ${severity}: ${problem}`);
    }
    console.error(`${findings.length} findings, $${costUsd?.toFixed(4) ?? "?"}`);
    if (findings.some(({ severity }) => severity === "severe")) process.exitCode = 1;
  } catch (error) {
    if (!isHawserError(error)) throw error;
    console.error(`${error.code}: ${error.message}\n${error.hint}`);
    process.exitCode = ERROR_CODES[error.code].exitCode;
  }
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
