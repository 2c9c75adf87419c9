import { reopen } from "./output.mjs";

let open = true;

/** Passes each line on as it arrives, until reading is stopped. */
export function readLines(onLine, onEnd) {
  if (!open) return;
  let parts = [];
  process.stdin.on("data", (chunk) => {
    let from = 0;
    for (let lf = chunk.indexOf(10); lf !== -1 && open; lf = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, lf)]).toString("utf8");
      parts = [];
      from = lf + 1;
      onLine(line);
    }
    parts.push(chunk.subarray(from));
  });
  process.stdin.on("end", () => {
    onLine(Buffer.concat(parts).toString("utf8"));
    onEnd();
  });
  process.stdin.on("error", () => {});
}

export function stopReading() {
  open = false;
  process.stdin.removeAllListeners("data").removeAllListeners("end").pause();
}

export function closeStdin() {
  open = false;
  process.stdin.destroy();
  reopen(0, "r");
}
