import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive, until } from "../../../hawser/test/support/proc.js";
import { localWorkspace } from "../../src/harness/index.js";

describe("localWorkspace()", () => {
  it("works in the given folder, or in one folder for each session", async () => {
    const folder = temporaryFolder();
    const own = localWorkspace(folder);
    const session = await own.sandbox.createSession({ sessionId: "a" });
    expect(join(session.defaultWorkingDirectory, own.sandboxConfig.workDir ?? "")).toBe(folder);
    const each = localWorkspace(folder, { perSession: true });
    const other = await each.sandbox.createSession({ sessionId: "b" });
    expect(other.defaultWorkingDirectory).toBe(folder);
    expect(each.sandboxConfig).toEqual({});
  });

  it("reads and writes files, by lines too, and gives null for a file that is not there", async () => {
    const folder = temporaryFolder();
    const session = (await localWorkspace(folder).sandbox.createSession()).restricted();
    await session.writeTextFile({ path: "deep/a.txt", content: "1\n2\n3\n" });
    expect(readFileSync(join(folder, "deep/a.txt"), "utf8")).toBe("1\n2\n3\n");
    const lines = { path: "deep/a.txt", startLine: 2, endLine: 9 };
    expect(await session.readTextFile(lines)).toBe("2\n3\n");
    expect(await session.readBinaryFile({ path: "b" })).toBeNull();
    expect(await session.readFile({ path: "b" })).toBeNull();
    const bytes = new Blob(["bytes"]).stream();
    await session.writeFile({ path: "c", content: bytes });
    const stream = await session.readFile({ path: join(folder, "c") });
    expect(await text(stream as never)).toBe("bytes");
    await session.writeBinaryFile({ path: "d", content: Uint8Array.of(104, 105) });
    expect(await session.readTextFile({ path: "d" })).toBe("hi");
  });

  it("runs commands in the folder, with variables, and tells how they ended", async () => {
    const folder = temporaryFolder();
    const session = await localWorkspace(folder).sandbox.createSession();
    const command = 'pwd; echo "$KNOT" >&2; exit 3';
    expect(await session.run({ command, env: { KNOT: "bowline" } })).toEqual({
      exitCode: 3,
      stdout: `${folder}\n`,
      stderr: "bowline\n",
    });
  });

  it("kills a command and its children by the signal, by kill() and by stop()", async () => {
    const session = await localWorkspace(temporaryFolder()).sandbox.createSession();
    const controller = new AbortController();
    const start = async (abortSignal?: AbortSignal) => {
      const command = "sleep 1000 & echo $!; wait";
      const child = await session.spawn({ command, ...(abortSignal && { abortSignal }) });
      const { value } = await child.stdout.getReader().read();
      return { child, pid: Number(new TextDecoder().decode(value)) };
    };
    const [aborted, killed, stopped] = [
      await start(controller.signal),
      await start(),
      await start(),
    ];
    const waits = aborted.child.wait();
    controller.abort(new Error("enough"));
    await expect(waits).rejects.toThrow("enough");
    await killed.child.kill();
    await session.stop();
    for (const { pid } of [aborted, killed, stopped]) await until(() => !isAlive(pid));
  });

  it("exposes no ports", async () => {
    const session = await localWorkspace(temporaryFolder()).sandbox.createSession();
    await expect(session.getPortUrl({ port: 80 })).rejects.toThrow("exposes no ports");
  });
});

function temporaryFolder(): string {
  const folder = join(
    tmpdir(),
    `hawser-workspace-${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  mkdirSync(folder);
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
    expect(existsSync(folder)).toBe(false);
  });
  return folder;
}
