// The limit for any library: one process, one line in, one line out, no checks.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const ARGUMENTS = [
  ...["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"],
  ...["--tools=", "--setting-sources=", "--strict-mcp-config", "--no-session-persistence"],
];

export function startRaw({ cli, cwd, env, systemPrompt }) {
  const child = spawn(cli, ARGUMENTS, {
    cwd,
    env: { ...env, CLAUDE_CODE_ENTRYPOINT: "sdk-ts" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let next;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "result" || message.type === "control_response") next?.(message);
  });
  const send = (line) =>
    new Promise((resolve) => {
      next = resolve;
      child.stdin.write(`${JSON.stringify(line)}\n`);
    });
  const say = (content) => send({ type: "user", message: { role: "user", content } });
  return {
    initialize: () =>
      send({
        type: "control_request",
        request_id: "1",
        request: { subtype: "initialize", systemPrompt: [systemPrompt] },
      }),
    ask: (prompt) => say([{ type: "text", text: prompt }]),
    async clear() {
      const { local_command } = await say("/clear");
      if (local_command !== "clear") throw new Error("The conversation was not reset.");
    },
    close: () =>
      new Promise((resolve) => {
        child.once("close", resolve);
        child.stdin.end();
      }),
  };
}
