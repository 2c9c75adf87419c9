import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Whether this process gets the number. Only one process can create the file with that name. */
export function claimTake(number) {
  try {
    writeFileSync(here(`./take-${number}`), String(process.pid), { flag: "wx", mode: 0o644 });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}
