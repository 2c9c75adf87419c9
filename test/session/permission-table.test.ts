import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { type RecordedRequest, type ReplyInput, toolUse } from "../../src/testing/index.js";
import { CLIS } from "../support/cli.js";
import { world } from "../support/world.js";

function play(request: RecordedRequest): ReplyInput {
  if (request.toolResults.length > 0) return "done";
  const name = /try (\S+)$/.exec(request.prompt)?.[1] ?? "lost";
  return [
    toolUse("Bash", { command: `touch ${name}.bash`, description: "d" }),
    toolUse("Write", { file_path: `CWD/${name}.write`, content: "x" }),
  ];
}
const hook = (output: unknown, more = {}) => ({ hooks: { PreToolUse: [{ hooks: [async () => { if (output instanceof Error) throw output; return output as never; }], ...more }] } });
const decide = (permissionDecision: string) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "r" } });
const never = { hooks: { PreToolUse: [{ hooks: [() => new Promise<never>(() => {})], timeout: 1 }] } };
const ROWS: Record<string, Options> = {




  timeoutCont: { allowedTools: ["Bash", "Write"], hooks: { PreToolUse: [{ onFailure: "continue", hooks: [() => new Promise<never>(() => {})], timeout: 1 }] } },
  nonsense: { allowedTools: ["Bash", "Write"], ...hook("what") },
  unnamed: { allowedTools: ["Bash", "Write"], ...hook({ hookSpecificOutput: { permissionDecision: "deny" } }) },
  wrong: { allowedTools: ["Bash", "Write"], ...hook(decide("no")) },
  bigint: { allowedTools: ["Bash", "Write"], ...hook({ x: 1n }) },
  hookAskAllow: { ...hook(decide("ask")), canUseTool: () => ({ behavior: "allow" }) },
  hookAskDeny: { ...hook(decide("ask")), canUseTool: () => ({ behavior: "deny", message: "no" }) },
  hookAllow: hook(decide("allow")),
};
it.each(CLIS.slice(1))("probe $name", async ({ path }) => {
  for (const [name, row] of Object.entries(ROWS)) {
    const t0 = Date.now();
    const place = await world(path, [{ always: (r: RecordedRequest) => { const a = play(r); return JSON.parse(JSON.stringify(a).replace("CWD", place.cwd)); } }], { extra: { IS_SANDBOX: "1" } });
    const session = await openSession({ ...place.options, allowDangerouslySkipPermissions: true, ...row });
    const out: string[] = [];
    for (const mode of ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"] as const) {
      try {
        await session.setPermissionMode(mode);
        const turn = session.send(`try ${mode}`);
        const r = await turn.result;
        const ex = (k: string) => existsSync(join(place.cwd, `${mode}.${k}`)) ? "ran" : "-";
        out.push(`${mode}: ${ex("bash")}/${ex("write")} ${r.subtype === "success" ? "" : r.subtype}`);
        if (name === "nobody") console.log(place.model.calls.at(-1)?.toolResults.map((x) => x.text.slice(0, 150)));
      } catch (e) { out.push(`${mode}: ERR ${String(e).slice(0, 200)}`); }
    }
    await session.close();
    console.log(name, Date.now() - t0, out.join(" | "));
  }
  expect(1).toBe(1);
}, 200_000);
