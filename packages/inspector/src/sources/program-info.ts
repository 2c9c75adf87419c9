import { basename } from "node:path";
import { threadId } from "node:worker_threads";
import type { SourceInfo } from "./source.js";

/** When this program was started, in milliseconds since 1970. */
const STARTED_AT = Math.round(Date.now() - process.uptime() * 1000);

let count = 0;

/** What the page knows about this program. Each call makes another id. */
export function programInfo(kind: SourceInfo["kind"], name: string | undefined): SourceInfo {
  count += 1;
  // Each thread counts for itself.
  const extra = [...(threadId === 0 ? [] : [`t${threadId}`]), ...(count === 1 ? [] : [count])];
  const id = [process.pid, STARTED_AT.toString(36), ...extra].join("-");
  return {
    id,
    name: name ?? basename(process.argv[1] ?? "node"),
    kind,
    pid: process.pid,
    startedAt: STARTED_AT,
    isSelf: true,
  };
}
