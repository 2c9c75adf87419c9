import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createApprovals, openSession } from "hawser";
import { isolatedEnv, SimulatedModel, toolUse } from "hawser/testing";
import { expect, it, vi } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { PageFiles } from "../../src/files/page-files.js";
import { createInspector } from "../../src/inspector.js";
import { jsonOf } from "./json-of.helper.js";
import { pageFolder } from "./page-folder.helper.js";

/** The processes of this machine that have the word among their arguments. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const parts = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      // The CLI itself has the word in its input only.
      return parts.some((part) => part.includes(word));
    } catch {
      return false;
    }
  });
}

it.each([
  ["an ordinary command", "sleep 1000"],
  ["a command that ignores SIGTERM", "trap '' TERM INT HUP; while true; do sleep 1; done"],
  ["a command with a process in another session", "setsid sh -c ': $WORD; sleep 1000' & wait"],
])(
  "POST …/interrupt ends the turn and the processes of %s, without register()",
  { timeout: 300_000 },
  async (_, command) => {
    const word = `stop-${randomUUID()}`;
    const model = await SimulatedModel.start({
      replies: [
        toolUse("Bash", {
          command: `: ${word}; ${command.replace("$WORD", word)}`,
          description: "wait",
        }),
        "Again.",
      ],
    });
    const place = await isolatedEnv({ baseUrl: model.url });
    const approvals = createApprovals();
    const page = createInspector({ approvals, announce: false }, new PageFiles(pageFolder()));
    const api = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${page.token}`, "content-type": "application/json" };
      const request = new Request(`http://localhost/sources/self/hawser/v1${path}`, {
        headers,
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      return jsonOf(page.fetch(request));
    };
    const session = await openSession({
      cliPath: nativeCli("@anthropic-ai/claude-code"),
      cwd: place.cwd,
      env: place.env,
      inheritEnv: false,
      allowedTools: ["Bash"],
    });
    try {
      const result = session.send("Wait.").result.catch((error: unknown) => error);
      await vi.waitFor(() => expect(processesWith(word)).not.toEqual([]), 120_000);
      const { sessions } = await api("/sessions");
      expect(sessions).toMatchObject([
        { isControllable: true, turns: [{ tools: [{ tool: "Bash" }] }] },
      ]);
      expect(await api(`/sessions/${sessions[0].id}/interrupt`, {})).toEqual({
        result: "interrupted",
      });
      await result;
      expect((await api(`/sessions/${sessions[0].id}`)).session.turns).toEqual([]);
      // What was stopped on purpose is no failure.
      expect(await api("/failures")).toEqual({ failures: [] });
      await vi.waitFor(() => expect(processesWith(word)).toEqual([]), 60_000);
    } finally {
      await session.close();
      await page.close();
      await place.dispose();
      await model.close();
    }
  },
);
