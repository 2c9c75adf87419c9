import { ERROR_CODES, type ErrorCode } from "../../src/base/index.js";
import { CLIS } from "../support/cli.js";
import type { Answer, Cause, Failure } from "./failure-cases.helper.js";

/** The whole text of docs/errors.md. */
export function page(causes: readonly Cause[]): string {
  return `${[HEAD, causeTable(causes), BETWEEN, codeTable()].join("\n\n")}\n`;
}

const HEAD = `# Errors

A call gives an answer or throws a \`HawserError\`. Its \`code\` says what happened, and is stable. Its \`message\` and \`hint\` are for people: what happened, and what to do about it.

<!-- replies: always(apiError(529)) -->

\`\`\`ts
import { complete, isHawserError } from "hawser";

try {
  const { text } = await complete("Name three knots.");
  console.log(text);
} catch (error) {
  if (!isHawserError(error)) throw error;
  console.log(error.code, error.apiStatus, error.retryable); //=> overloaded 529 true
  if (isHawserError(error, "rate_limited")) console.log(\`retry in \${error.retryAfterMs ?? 60_000} ms\`);
}
\`\`\`

Use \`isHawserError()\` instead of \`instanceof\`, because it also recognises errors of a second copy of the package, which a dependency may have installed.

- \`error.message\` does not contain the hint, so a log should have both. \`console.error(error)\` prints both. In a text of your own, use \`\${error.message} \${error.hint}\`. \`JSON.stringify(error)\` contains all facts of the error.
- \`retryable\` says whether the same call may succeed later without any change. With \`retry: { attempts: 3 }\`, \`complete()\` repeats such a call by itself.
- \`partialText\` is the text that the model had sent before the failure. For \`structured_output\` it is the JSON of the value that the model gave, if it gave one. \`result\` is the CLI's own result message, if there was one.
- \`sessionId\` is the id of the call's session, and \`resumable\` says whether \`resume: sessionId\` can continue it. This needs a session that is kept. \`complete()\` keeps one only with \`persistSession\`, \`autoResume\` or \`preset: "agent"\`.
- \`cliPath\`, \`cliVersion\`, \`exitCode\`, \`signal\` and \`stderrTail\` describe the process. \`tried\` lists the places that were searched for a missing CLI.
- Secrets are masked when an error is created, so you can log the error as it is.

When a call throws, its process has ended. Only a [pool](pool.md) may keep a process that has ended the turn by itself; the pool resets it before the next call.

## What happens when

A test causes each failure of this table and writes this page. The HTTP statuses, the signals, the missing folders and the CLI are real. Only two rows use a fake CLI: a start that hangs, and an exit code of the CLI before the result. \`npm run test:full\` runs every row with the CLI ${CLIS[0]?.name} and with the older ${CLIS[1]?.name}; \`npm run test:rest\` runs a part of this.

- Where the two CLIs differ, there is a row for each.
- Each error has a \`sessionId\`, \`resumable: false\` and the hint of its code, unless its row says otherwise.
- A row without a code is not a failure: the call gives an answer.`;

const BETWEEN = `Limits that you set are not failures: a call that reaches \`maxTurns\` or \`maxBudgetUsd\` gives an answer whose \`stop\` names the limit. With a \`schema\`, the call fails instead if it has no value yet.

## All codes

- An error can have a more specific hint than its code.
- The HTTP status is for a server that passes the error on to its client. It is also in \`error.httpStatus\`.
- The exit code is for command-line programs.
- An error can be retryable although its code is not: \`storage_failed\` is retryable if its cause can pass, such as a full disk or too many open files.`;

function causeTable(causes: readonly Cause[]): string {
  const codes = Object.keys(ERROR_CODES);
  const rows = causes.flatMap(rowsOf);
  const rank = ({ code }: Row) => (code === undefined ? codes.length : codes.indexOf(code));
  const ordered = rows.sort((a, b) => rank(a) - rank(b));
  return table(
    ["what happens", "code", "retryable", "other facts"],
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

/** Facts whose values differ from case to case, so that the page only names them. */
const NAMED = ["stderrTail", "resetsAt", "reason", "partialText", "issues"] as const;

/** The CLI adds it, so that not all callers come back at once. */
const MORE: Readonly<Record<string, string>> = { retryAfterMs: " or up to a quarter more" };

function besideOf(failure: Failure): string {
  const { phase, apiStatus, retryAfterMs, exitCode, signal } = failure;
  const exact = { phase, apiStatus, retryAfterMs, exitCode, signal };
  const valued = Object.entries(exact).flatMap(([name, value]) =>
    value === undefined ? [] : `\`${name}: ${JSON.stringify(value)}\`${MORE[name] ?? ""}`,
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
