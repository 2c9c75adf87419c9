// Three reviewers judge the same text in parallel and vote, as in an earlier system called MAGI (see
// docs/source-systems.md).
//
//   git diff | node magi-reviewers.js
//
// The exit code is 0 if the subject passes, 1 if it is rejected, and 2 if too few reviewers could vote.
import { text } from "node:stream/consumers";
import { council, DEFAULT_REVIEWERS, formatReport, magi } from "hawser/council";

const subject = await text(process.stdin);
const report = await council({ reviewers: DEFAULT_REVIEWERS, subject, rule: magi() }).report;
process.stdout.write(formatReport(report));
process.exitCode = { pass: 0, reject: 1, none: 2 }[report.verdict];
