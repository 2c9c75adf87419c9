import { print } from "./output.mjs";

/** Prints the process id only after the process is ready, so that its signal handlers are set. */
export async function startGrandchild({
  seconds = 300,
  ignoreSigterm = false,
  inheritOutput = false,
}) {
  // Imported only here, because it would slow down every start of the fake.
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
  // The options ask for this pipe, but its type says that it may be missing.
  const up = /** @type {import("node:net").Socket} */ (child.stdio[3]);
  await new Promise((resolve) => up.once("data", resolve));
  up.destroy();
  child.unref();
  await print({ type: "system", subtype: "fake_grandchild", pid: child.pid });
}
