import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { toolUse } from "../../src/testing/index.js";
import { SubprocessTransport } from "../../src/transport/index.js";
import { controlRequest, type Message, userLine } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { commandLineOf, stillAlive, treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";

async function open(options: Options): Promise<SubprocessTransport> {
  const transport = new SubprocessTransport(options);
  onTestFinished(() => transport.kill());
  await transport.connect();
  await transport.send(controlRequest("init", transport.invocation.initialize));
  return transport;
}

/** Starts a turn whose Bash tool never ends, and returns the process tree as the kernel shows it. */
async function inATool(path: string, command: string) {
  const { cwd, options } = await world(path, [toolUse("Bash", { command, description: "d" })]);
  writeFileSync(`${cwd}/work.log`, "");
  const transport = await open({ ...options, tools: ["Bash"], allowedTools: ["Bash"] });
  await transport.send(userLine("Watch the log."));
  const pid = transport.pid as number;
  await until(() => treeOf(pid).find((each) => each.command === "tail -f ./work.log"));
  const tree = treeOf(pid);
  // The CLI, the shell of its tool (which may have become the tail itself), the tail.
  expect(tree.length).toBeGreaterThanOrEqual(2);
  return { transport, tree };
}

async function readUntil(
  transport: SubprocessTransport,
  type: string,
  seen: Message[] = [],
): Promise<Message[]> {
  for await (const frame of transport.messages()) {
    if (frame.kind !== "message") continue;
    seen.push(frame.message);
    if (frame.message.type === type) break;
  }
  return seen;
}

describe.runIf(process.platform === "linux").each(clisInTurn())(
  "SubprocessTransport on the real CLI $name",
  ({ path }) => {
    it("close() with an interrupt ends the CLI and its running Bash tool", async () => {
      const { transport, tree } = await inATool(path, "tail -f /dev/null & tail -f ./work.log");
      await transport.close({ first: controlRequest("stop", { subtype: "interrupt" }) });
      expect(stillAlive(tree)).toEqual([]);
    });

    it("close() without an interrupt ends the CLI and its running Bash tool", async () => {
      const { transport, tree } = await inATool(path, "tail -f ./work.log");
      await transport.close();
      expect(stillAlive(tree)).toEqual([]);
    });

    it("kill() in the middle of a tool leaves no process behind", async () => {
      const { transport, tree } = await inATool(path, "tail -f /dev/null & tail -f ./work.log");
      await transport.kill();
      expect(stillAlive(tree)).toEqual([]);
    });

    it("leaves no process behind when another program kills the CLI", async () => {
      const { transport, tree } = await inATool(path, "tail -f ./work.log");
      process.kill(transport.pid as number, "SIGKILL");
      await expect(readUntil(transport, "never")).rejects.toMatchObject({
        code: "process_exited",
        signal: "SIGKILL",
      });
      expect(stillAlive(tree)).toEqual([]);
    });

    it("close() ends an idle CLI by the end of input, without a signal", async () => {
      const { logger, entries } = recordingLogger();
      const { options } = await world(path, ["ok"]);
      const transport = await open({ ...options, logger, tools: [] });
      await transport.send(userLine("Hello."));
      await readUntil(transport, "result");
      await transport.close();
      expect(await transport.exited).toMatchObject({ code: 0, signal: null });
      expect(
        entries.map(({ message }) => message).filter((text) => text.startsWith("closing")),
      ).toEqual(["closing: end of input"]);
    });

    it("shows no secret on the command line, in a log, an error or a trace", async () => {
      const { logger, entries } = recordingLogger();
      const { env, cwd, options, home } = await world(path, ["ok"]);
      const canaries = {
        env: "canary-env-1b9c4f",
        mcpEnv: "canary-mcp-env-77ab",
        header: "canary-header-90ff",
        prompt: "sk-ant-api03-canaryprompt",
      };
      mkdirSync(`${home}/traces`);
      const file = `${home}/traces/trace.jsonl`;
      process.env["HAWSER_TRACE"] = file;
      onTestFinished(() => {
        delete process.env["HAWSER_TRACE"];
      });
      const transport = await open({
        ...options,
        cwd,
        logger,
        tools: [],
        env: { ...env, MY_SERVICE_TOKEN: canaries.env },
        systemPrompt: `The key is ${canaries.prompt}.`,
        mcpServers: {
          files: {
            type: "stdio",
            command: "false",
            args: [],
            env: { PLAIN_NAME: canaries.mcpEnv },
          },
          web: {
            type: "http",
            url: "http://127.0.0.1:9/mcp",
            headers: { "X-Custom": canaries.header },
          },
        },
      });
      await transport.send(
        userLine(`Use ${canaries.prompt} and ${canaries.env} and ${canaries.mcpEnv}.`),
      );
      const commandLine = commandLineOf(transport.pid as number);
      await readUntil(transport, "result");
      process.kill(transport.pid as number, "SIGKILL");
      await transport.exited;
      const error = await transport.send(userLine("x")).catch((reason: unknown) => reason);
      const trace = readFileSync(file, "utf8");

      expect(commandLine).toContain("--output-format");
      expect(trace).toContain('"kind":"spawn"');
      expect(trace).toContain('"kind":"send"');
      expect(trace).toContain('"kind":"receive"');
      expect(trace).toContain('"kind":"exit"');
      expect(entries.map(({ message }) => message)).toEqual(
        expect.arrayContaining(["spawn", "exit"]),
      );
      const everything = [
        commandLine,
        trace,
        inspect(entries, { depth: 9 }),
        inspect(error, { depth: 9 }),
      ].join("\n");
      for (const [name, canary] of Object.entries(canaries)) {
        expect(`${name}: ${everything.includes(canary)}`).toBe(`${name}: false`);
      }
    });
  },
);
