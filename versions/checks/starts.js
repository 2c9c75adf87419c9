// The codes of failures at the start, and what project files may do.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { complete, isHawserError } from "hawser";
import { apiError, toolUse } from "hawser/testing";
import { codeOf } from "./answers.js";

/**
 * A check that a call fails with a code.
 * @param {string} id
 * @param {string} title
 * @param {string} code
 * @param {(place: import("../place.js").Place) => Promise<unknown>} call
 * @returns {import("../outcome.js").Check}
 */
function failure(id, title, code, call) {
  return {
    id,
    group: "Starts",
    title: `${title} is \`${code}\``,
    async run(place) {
      const found = await codeOf(call(place));
      assert.notEqual(found, "no error");
      return found === code ? undefined : `the code is \`${found}\``;
    },
  };
}

/** @param {import("hawser").AnyCompleteOptions} more */
const completing = (more) => async (place) => {
  const { options } = await place.world(["ok"]);
  await complete("Hello.", { ...options, ...more });
};

/** @type {readonly import("../outcome.js").Check[]} */
export const starts = [
  failure(
    "no-executable",
    "a missing executable",
    "cli_not_found",
    completing({ cliPath: "/no/such/file" }),
  ),
  failure(
    "no-folder",
    "a missing working directory",
    "cwd_not_found",
    completing({ cwd: "/no/such/folder" }),
  ),
  failure(
    "bad-flag",
    "a flag that the CLI does not know",
    "unsupported_by_cli",
    completing({ extraArgs: { "no-such-flag": null } }),
  ),
  failure("no-login", "a missing login", "auth", async (place) => {
    const { options } = await place.world(["ok"]);
    const { ANTHROPIC_API_KEY: _, ...env } = options.env;
    await complete("Hello.", { ...options, env });
  }),
  failure("bad-key", "a key that the API refuses", "auth", async (place) => {
    const { options } = await place.world([apiError(401)]);
    await complete("Hello.", options);
  }),
  failure("bad-model", "an unknown model", "model_not_found", async (place) => {
    const message = "model: claude-of-tomorrow";
    const { options } = await place.world([apiError(404, { message })]);
    await complete("Hello.", { ...options, model: "claude-of-tomorrow" });
  }),
  failure(
    "bad-resume",
    "a session to resume that does not exist",
    "session_not_found",
    completing({ resume: randomUUID(), persistSession: true }),
  ),
  failure("id-in-use", "a session id that exists", "session_in_use", async (place) => {
    const { options } = await place.world(["ok"]);
    const taken = { ...options, sessionId: randomUUID(), persistSession: true };
    await complete("Hello.", taken);
    await complete("Hello again.", taken);
  }),
  failure("root", "`bypassPermissions` as root", "root_refused", async (place) => {
    const { options } = await place.world(["ok"]);
    if (process.getuid?.() !== 0) throw new Error("this check needs root");
    await complete("Hello.", {
      ...options,
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
    });
  }),
  {
    id: "many-rules",
    group: "Starts",
    title: "a thousand deny rules, sent by file, all count",
    isGuard: true,
    async run(place) {
      const { options, made } = await place.world([
        toolUse("Bash", { command: "mkdir made", description: "d" }),
        "done",
      ]);
      const many = Array.from({ length: 1000 }, (_, i) => `Bash(never-${i}:*)`);
      const session = await place.session({
        ...options,
        allowedTools: ["Bash"],
        disallowedTools: [...many, "Bash(mkdir:*)"],
      });
      await session.send("go").result;
      assert.equal(made("made"), false, "a denied command ran");
    },
  },
  {
    id: "lost-rules",
    group: "Starts",
    title:
      "settings that the CLI drops because of an error never start a session without their deny rules",
    isGuard: true,
    async run(place) {
      const { options, made } = await place.world([
        toolUse("Bash", { command: "mkdir made", description: "d" }),
        "done",
      ]);
      const settings = { permissions: { deny: ["Bash(mkdir:*)"] }, cleanupPeriodDays: "never" };
      try {
        const session = await place.session({ ...options, settings, allowedTools: ["Bash"] });
        await session.send("go").result;
      } catch (error) {
        if (!isHawserError(error, "protocol_error")) throw error;
        return;
      }
      assert.equal(made("made"), false, "a denied command ran");
      throw new Error("the session started");
    },
  },
  {
    id: "untrusted",
    group: "Starts",
    title: "files of a project that is not trusted run nothing and allow nothing",
    isGuard: true,
    async run(place) {
      const { options, cwd, home, made } = await place.world([
        toolUse("Bash", { command: "sh -c 'touch made'", description: "d" }),
        "done",
      ]);
      const leaves = (name) => `touch ${join(cwd, name)}`;
      const settings = {
        hooks: { SessionStart: [{ hooks: [{ type: "command", command: leaves("hook") }] }] },
        apiKeyHelper: `${leaves("helper")}; echo dummy-api-key`,
        permissions: { allow: ["Bash"] },
        enableAllProjectMcpServers: true,
      };
      mkdirSync(join(cwd, ".claude"));
      writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify(settings));
      const server = { command: "sh", args: ["-c", `${leaves("server")}; cat`] };
      writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { planted: server } }));
      assert.ok(home !== cwd);
      const session = await place.session(options);
      await session.send("go").result;
      await session.close();
      const ran = ["hook", "helper", "server", "made"].filter(made);
      assert.deepEqual(ran, [], `of the project ran: ${ran.join(", ")}`);
    },
  },
];
