import { appendFileSync } from "node:fs";
import { inspect } from "node:util";

/** A logger that survives the death of its process: every line is written at once. */
export function fileLogger(file) {
  const level = (name) => (message, data) => {
    const details = data === undefined ? "" : ` ${inspect(data, { depth: 4, breakLength: 200 })}`;
    appendFileSync(
      file,
      `${new Date().toISOString()} ${process.pid} ${name} ${message}${details}\n`,
    );
  };
  return { debug: () => {}, info: level("info"), warn: level("warn"), error: level("error") };
}
