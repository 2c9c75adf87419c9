import { print } from "./output.mjs";

/** Announced only when it is past its own start, so that a signal finds it as it is meant to be. */
export async function startGrandchild({
  seconds = 300,
  ignoreSigterm = false,
  inheritOutput = false,
}) {
  // Loaded only here: every start of the fake would pay for it.
  const { spawn } = await import("node:child_process");
  const code = [
    ignoreSigterm ? 'process.on("SIGTERM", () => {});' : "",
    `setTimeout(() => {}, ${seconds * 1000});`,
    'require("node:fs").writeSync(3, "up"); require("node:fs").closeSync(3);',
  ].join("\n");
  const output = inheritOutput ? "inherit" : "ignore";
  const child = spawn(process.execPath, ["-e", code], {
    detached: true,
    stdio: ["ignore", output, output, "pipe"],
  });
  // The pipe that the options ask for; its type is that of a stream which may be missing.
  const up = /** @type {import("node:net").Socket} */ (child.stdio[3]);
  await new Promise((resolve) => up.once("data", resolve));
  up.destroy();
  child.unref();
  await print({ type: "system", subtype: "fake_grandchild", pid: child.pid });
}
