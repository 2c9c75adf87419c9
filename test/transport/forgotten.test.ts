import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli } from "../../src/testing/index.js";
import { everyProcess, until } from "../support/proc.js";

const DIST = new URL("../../dist/index.js", import.meta.url).href;

/** A program of a user's that opens a line and prints the pid; `rest` is what it does then. */
function program(rest: string): string {
  return `
    import { SubprocessTransport } from ${JSON.stringify(DIST)};
    let line = new SubprocessTransport({ cliPath: process.argv[1] });
    await line.connect();
    console.log(line.pid);
    ${rest}`;
}

async function aliveFake() {
  // It ignores the end of its input, so that only a signal ends it.
  const cli = await fakeCli({ steps: [{ on: "eof", times: "always", do: [] }] });
  onTestFinished(() => cli.dispose());
  return cli;
}

function isAlive(pid: number): boolean {
  return everyProcess().some((each) => each.pid === pid);
}

describe.skipIf(process.platform !== "linux")("a program that forgets to close", () => {
  it("still ends, and takes its CLI along", async () => {
    const cli = await aliveFake();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", program(""), cli.path],
      { timeout: 50_000 },
    );
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    await until(() => !isAlive(pid));
  });

  it("by process.exit() or by an exception takes its CLI along", async () => {
    for (const end of ["process.exit(3);", 'throw new Error("crash");']) {
      const cli = await aliveFake();
      const child = spawn(process.execPath, ["--input-type=module", "-e", program(end), cli.path]);
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      const pid = Number(chunk.toString());
      await once(child, "close");
      expect(pid).toBeGreaterThan(0);
      await until(() => !isAlive(pid));
    }
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "and is ended by %s takes its CLI along",
    async (signal) => {
      const cli = await aliveFake();
      const wait = "setInterval(() => {}, 1000);";
      const child = spawn(process.execPath, ["--input-type=module", "-e", program(wait), cli.path]);
      onTestFinished(() => void child.kill("SIGKILL"));
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      const pid = Number(chunk.toString());
      expect(isAlive(pid)).toBe(true);
      child.kill(signal);
      const [code, by] = (await once(child, "exit")) as [number | null, string | null];
      expect({ code, by }).toEqual({ code: null, by: signal });
      await until(() => !isAlive(pid));
    },
  );

  it("but handles the signal itself decides for itself", async () => {
    const cli = await aliveFake();
    const own = `process.on("SIGTERM", async () => { console.log("mine"); await line.close(); process.exit(9); });
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(own), cli.path]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    await until(() => out.includes("\n"));
    child.kill("SIGTERM");
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(9);
    expect(out).toContain("mine");
    await until(() => !isAlive(Number.parseInt(out, 10)));
  });

  it("but handles the signal once may take its time", async () => {
    const cli = await aliveFake();
    const own = `process.once("SIGINT", async () => {
        await new Promise((done) => setTimeout(done, 300));
        console.log("graceful");
        process.exit(7);
      });
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(own), cli.path]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    await until(() => out.includes("\n"));
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number | null];
    expect({ code, graceful: out.includes("graceful") }).toEqual({ code: 7, graceful: true });
    await until(() => !isAlive(Number.parseInt(out, 10)));
  });

  it("and has two copies of this library still ends by a signal", async () => {
    const cli = await aliveFake();
    const copy = mkdtempSync(join(tmpdir(), "hawser-copy-"));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(new URL("../../dist", import.meta.url), join(copy, "dist"), { recursive: true });
    writeFileSync(join(copy, "package.json"), '{"type":"module"}');
    const other = `
      const second = await import(${JSON.stringify(join(copy, "dist/index.js"))});
      const more = new second.SubprocessTransport({ cliPath: process.argv[1] });
      await more.connect();
      console.log(more.pid);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(other), cli.path]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    await until(() => out.trim().split("\n").length === 2 && out.endsWith("\n"));
    child.kill("SIGTERM");
    const [, by] = (await once(child, "close")) as [number | null, string | null];
    expect(by).toBe("SIGTERM");
    await until(() =>
      out
        .trim()
        .split("\n")
        .every((pid) => !isAlive(Number(pid))),
    );
  });

  it("may wait for the end of a line alone", async () => {
    const cli = await fakeCli({ steps: [{ on: "eof", do: [{ sleep: 300 }, { exit: 0 }] }] });
    onTestFinished(() => cli.dispose());
    const wait = "await line.endInput(); console.log((await line.exited).code);";
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", program(wait), cli.path],
      { timeout: 50_000 },
    );
    expect(stdout.split("\n")[1]).toBe("0");
  });

  it("kills the CLI of a line that was garbage-collected, while the program lives on", async () => {
    const cli = await aliveFake();
    const drop = `
      line = undefined;
      process.stdin.resume();
      setInterval(() => gc(), 20);`;
    const child = spawn(process.execPath, [
      "--expose-gc",
      "--input-type=module",
      "-e",
      program(drop),
      cli.path,
    ]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [chunk] = (await once(child.stdout, "data")) as [Buffer];
    const pid = Number(chunk.toString());
    await until(() => !isAlive(pid));
    expect(child.exitCode).toBeNull();
  });

  it("does not kill the CLI of a line whose reader still waits", async () => {
    const cli = await fakeCli({
      steps: [{ on: "start", do: [{ sleep: 1500 }, { emit: { type: "late" } }] }],
    });
    onTestFinished(() => cli.dispose());
    const read = `
      const frames = line.messages();
      line = undefined;
      setInterval(() => gc(), 20).unref();
      for await (const frame of frames) { console.log(frame.message.type); break; }`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", "--input-type=module", "-e", program(read), cli.path],
      { timeout: 50_000 },
    );
    expect(stdout.split("\n")[1]).toBe("late");
  });
});
