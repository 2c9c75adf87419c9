import { spawn } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "vitest";
import { buildInvocation } from "../../src/options/index.js";
import { CLIS } from "../support/cli.js";
import { CASES } from "./cases.js";
it("try", async () => {
  for (const cli of CLIS) for (const [name, list] of Object.entries(CASES)) for (const { options, adds } of list) {
    if (adds.flags === undefined) continue;
    const place = await mkdtemp("/tmp/opt/rf-");
    const env = { HOME: place, CLAUDE_CONFIG_DIR: join(place, ".claude"), ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "sk-ant-dummy-000000", PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1" };
    const privateDir = join(place, "private"); await mkdir(privateDir);
    const inv = buildInvocation(options, { path: cli.path, version: [2, 1, 325] }, { env, platform: "linux", execPath: process.execPath, privateDir });
    for (const f of inv.files) await writeFile(f.path, f.contents);
    const r = await new Promise<{ code: number | null; err: string }>((res) => { const c = spawn(inv.file, inv.argv, { cwd: place, env: inv.env, stdio: ["pipe", "ignore", "pipe"] }); let err = ""; c.stderr.on("data", (d) => { err += d; }); c.stdin.on("error", () => {}); c.stdin.end(); c.on("close", (code) => res({ code, err })); });
    if (r.code !== 0 || r.err !== "") console.log(cli.name, name, JSON.stringify(adds.flags), r.code, r.err.slice(0, 200));
  }
}, 300_000);
