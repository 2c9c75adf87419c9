import { ERROR_CODES, type ErrorCode } from "../../src/base/index.js";
import { CLIS } from "../support/cli.js";
import type { Answer, Cause, Failure } from "./failure-cases.helper.js";

/** The whole text of docs/errors.md. */
export function page(causes: readonly Cause[]): string {
  return `${[HEAD, causeTable(causes), BETWEEN, codeTable()].join("\n\n")}\n`;
}

const HEAD = `# Errors

A call either gives an answer or throws, and whatever it throws is a \`HawserError\`. Its \`code\` says what happened and is stable; \`message\` and \`hint\` are for people: what happened, and what can be done about it.

<!-- replies: always(apiError(529)) -->

\`\`\`js
import { complete, isHawserError } from "hawser";

try {
  const { text } = await complete("Name three knots.");
  console.log(text);
} catch (error) {
  if (!isHawserError(error)) throw error;
  console.log(error.code, error.apiStatus, error.retryable); //=> overloaded 529 true
  if (isHawserError(error, "rate_limited")) console.log(\`again in \${error.retryAfterMs ?? 60_000} ms\`);
}
\`\`\`

Use \`isHawserError()\` and not \`instanceof\`: it also knows the errors of a second copy of the package, which a dependency may have brought along.

- \`retryable\` says whether the same call may succeed later without any change. \`retry: { attempts: 3 }\` has \`complete()\` see to it.
- \`partialText\` is what the model had said by then, or for \`structured_output\` the JSON of the value that it gave, if it gave one; \`result\` is the CLI's own result line, if there was one.
- \`sessionId\` is the id that the call chose or was given, and \`resumable\` says whether \`resume: sessionId\` can go on from there. That takes \`persistSession: true\`: \`complete()\` keeps no session unless it is told to.
- \`cliPath\`, \`cliVersion\`, \`exitCode\`, \`signal\` and \`stderrTail\` tell of the process.
- Secrets are masked when an error is made, so it can be logged as it is. \`JSON.stringify(error)\` holds all of it.

When a call throws, its process is gone; only a [pool](pool.md) may keep one that has ended the turn by itself, and resets it before it serves anybody else.

## What happens when

Each row is made for real by a test, with the CLI ${CLIS[0]?.name} and with the older ${CLIS[1]?.name} (\`npm test\` takes the two in turn, \`npm run test:full\` both): the HTTP status at the model, the signal to the process, the missing folder. Only for a start that hangs and for an exit code of its own does a stand-in play the CLI. The page is written from that test. Where the two CLIs differ, both are named. Each error has a \`sessionId\`, \`resumable: false\` and the hint of its code, unless its row says otherwise. A cause without a code is no failure: the call gives an answer.`;

const BETWEEN = `Limits that a call was given on purpose are no failures: \`maxTurns\` and \`maxBudgetUsd\` end it with an answer whose \`stop\` says so, unless a value is owed for a \`schema\`.

## All codes

Hints are those that hold unless the place that throws knows better. The HTTP status is for servers that pass the error on, who find it in \`error.httpStatus\`; the exit code is for programs. An error may be retryable although its code is not: \`storage_failed\` is, if its cause can pass, such as a full disk or too many open files.`;

function causeTable(causes: readonly Cause[]): string {
  const codes = Object.keys(ERROR_CODES);
  const rows = causes.flatMap(rowsOf);
  const rank = ({ code }: Row) => (code === undefined ? codes.length : codes.indexOf(code));
  const ordered = rows.sort((a, b) => rank(a) - rank(b));
  return table(
    ["what happens", "code", "retryable", "beside it"],
    ordered.map(({ cause, code, retryable, beside }) => [
      cause,
      code === undefined ? "–" : `\`${code}\``,
      code === undefined ? "–" : yesNo(retryable),
      beside,
    ]),
  );
}

interface Row {
  readonly cause: string;
  readonly code: ErrorCode | undefined;
  readonly retryable: boolean;
  readonly beside: string;
}

function rowsOf({ cause, becomes, onOlder }: Cause): Row[] {
  const row = rowOf(cause, becomes);
  if (onOlder === undefined) return [row];
  const older = rowOf(cause, onOlder);
  if (row.code === older.code && row.beside === older.beside) return [row];
  const [newest, before] = CLIS.map(({ name }) => name);
  return [
    { ...row, cause: `${cause} (${newest})` },
    { ...older, cause: `${cause} (${before})` },
  ];
}

function rowOf(cause: string, becomes: Failure | Answer): Row {
  if (!("code" in becomes)) {
    return { cause, code: undefined, retryable: false, beside: `\`stop: "${becomes.stop}"\`` };
  }
  const { code, retryable = ERROR_CODES[code].retryable } = becomes;
  return { cause, code, retryable, beside: besideOf(becomes) };
}

/** Facts that the page only names, because their values differ from case to case. */
const NAMED = ["stderrTail", "resetsAt", "reason", "partialText", "issues"] as const;

function besideOf(failure: Failure): string {
  const { phase, apiStatus, retryAfterMs, exitCode, signal } = failure;
  const exact = { phase, apiStatus, retryAfterMs, exitCode, signal };
  const valued = Object.entries(exact).flatMap(([name, value]) =>
    value === undefined ? [] : `\`${name}: ${JSON.stringify(value)}\``,
  );
  const named = NAMED.flatMap((name) => (failure[name] === undefined ? [] : `\`${name}\``));
  const kept = failure.resumable === true ? ["`resumable: true`"] : [];
  const none = failure.resumable === undefined ? ["no `sessionId`"] : [];
  const facts = [...valued, ...named, ...kept, ...none].join(", ");
  const hint = failure.hint === undefined ? "" : `hint: ${failure.hint}`;
  return [facts, hint].filter((part) => part !== "").join("; ") || "–";
}

function codeTable(): string {
  return table(
    ["code", "what happened", "hint", "retryable", "HTTP", "exit"],
    Object.entries(ERROR_CODES).map(([code, row]) => [
      `\`${code}\``,
      row.sentence,
      row.hint,
      yesNo(row.retryable),
      String(row.httpStatus),
      String(row.exitCode),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}
