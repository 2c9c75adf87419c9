import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { HAWSER } from "../support/pty.js";

const DIST = new URL("../", pathToFileURL(HAWSER));

/** How a program ends before it has started any process. */
const ENDS = {
  "process.exit()": ["process.exit(3);", { code: 3, signal: null }],
  "an error that is thrown": ["throw new Error('a bug');", { code: 1, signal: null }],
  "an error outside of all calls": [
    "setImmediate(() => { throw new Error('a bug'); }); await new Promise(() => {});",
    { code: 1, signal: null },
  ],
  cli_not_found: [
    "await complete('Hello.', { env, inheritEnv: false, cliPath: '/nowhere/claude' });",
    { code: 1, signal: null },
  ],
  "an await that never ends": ["await new Promise(() => {});", { code: 13, signal: null }],
  SIGTERM: [
    "process.kill(process.pid); setInterval(() => {}, 1000);",
    { code: null, signal: "SIGTERM" },
  ],
} as const;

it.each(Object.entries(ENDS))(
  "a program that ends by %s before its first process leaves no folder behind",
  async (_, [code, end]) => {
    const folder = mkdtempSync(join(tmpdir(), "crash-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = `
      import { readdirSync } from "node:fs";
      import { complete } from "${new URL("index.js", DIST)}";
      import { fakeCli, isolatedEnv, SimulatedModel } from "${new URL("testing/index.js", DIST)}";
      const model = await SimulatedModel.start();
      const { env } = await isolatedEnv({ baseUrl: model.url });
      await fakeCli();
      console.log(readdirSync(process.env.TMPDIR).length);
      ${code}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let out = "";
    child.stdout.on("data", (data) => {
      out += data;
    });
    const [exitCode, signal] = await once(child, "close");
    expect({ out, exitCode, signal }).toEqual({
      out: "2\n",
      exitCode: end.code,
      signal: end.signal,
    });
    expect(readdirSync(folder)).toEqual([]);
  },
);
