import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { announce } from "../../src/announce/announce.js";
import { AnnouncedPrograms } from "../../src/announce/announced-programs.js";
import { ensureRuntimeFolder, runtimeFolder } from "../../src/announce/runtime-folder.js";
import type { Source } from "../../src/sources/source.js";
import { SseReader } from "./sse-reader.helper.js";

/** Short, because the path of a socket has at most 107 characters. */
function newFolder(): string {
  const folder = join(mkdtempSync("/tmp/hi-"), "hawser");
  folders.push(join(folder, ".."));
  return folder;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function sourceWith(id: string, answer: Source["fetch"]): Source {
  const info = { id, name: "a", kind: "process", pid: 1, startedAt: 2, isSelf: true } as const;
  return { info, fetch: answer };
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe("runtimeFolder()", () => {
  it("is in XDG_RUNTIME_DIR, or in the temporary folder with the id of the user", () => {
    const own = join(newFolder(), "..");
    expect(runtimeFolder({ XDG_RUNTIME_DIR: own })).toBe(join(own, "hawser"));
    expect(runtimeFolder({})).toMatch(new RegExp(`/hawser-${process.geteuid?.()}$`));
  });

  it("is in the temporary folder if XDG_RUNTIME_DIR is no folder", () => {
    const file = join(newFolder(), "../file");
    writeFileSync(file, "");
    for (const XDG_RUNTIME_DIR of ["relative", "", "/run/user/none", file]) {
      expect(runtimeFolder({ XDG_RUNTIME_DIR })).toBe(runtimeFolder({}));
    }
  });

  it.skipIf(process.geteuid?.() !== 0)(
    "is in the temporary folder if XDG_RUNTIME_DIR belongs to another user",
    () => {
      const other = join(newFolder(), "..");
      chownSync(other, 1, 1);
      expect(runtimeFolder({ XDG_RUNTIME_DIR: other })).toBe(runtimeFolder({}));
    },
  );
});

describe("ensureRuntimeFolder()", () => {
  it("makes a folder with mode 0700, and makes one private that is not", async () => {
    const folder = newFolder();
    await ensureRuntimeFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
    chmodSync(folder, 0o777);
    await ensureRuntimeFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  });

  it("refuses a link, because another user may have made it", async () => {
    const folder = newFolder();
    const target = join(folder, "../target");
    mkdirSync(target, { mode: 0o700 });
    symlinkSync(target, folder);
    await expect(ensureRuntimeFolder(folder)).rejects.toMatchObject({ code: "not_supported" });
  });

  it.skipIf(process.geteuid?.() !== 0)("refuses a folder of another user", async () => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 1, 1);
    await expect(ensureRuntimeFolder(folder)).rejects.toThrow("belongs to another user");
  });
});

describe("ensureRuntimeFolder() below a folder of others", () => {
  it("refuses a folder that other users can rename, unless only its owner may", async () => {
    const folder = newFolder();
    const parent = join(folder, "..");
    chmodSync(parent, 0o777);
    await expect(ensureRuntimeFolder(folder)).rejects.toMatchObject({ code: "not_supported" });
    chmodSync(parent, 0o1777);
    await ensureRuntimeFolder(folder);
  });
});

describe("announce()", () => {
  it("listens on a socket with mode 0600, beside a file with the facts of the program", async ({
    onTestFinished,
  }) => {
    const folder = newFolder();
    const rights: string[] = [];
    const source = sourceWith("12-ab", async (request, given) => {
      rights.push(given);
      return Response.json({
        path: new URL(request.url).pathname,
        token: request.headers.get("authorization"),
      });
    });
    const announcement = announce(source, folder);
    expect(await announcement.ready).toBeUndefined();
    expect(modeOf(join(folder, "12-ab.sock"))).toBe(0o600);
    expect(modeOf(join(folder, "12-ab.json"))).toBe(0o600);
    const programs = new AnnouncedPrograms(folder);
    await programs.open();
    onTestFinished(() => programs.close());
    expect(programs.list().map(({ info }) => info)).toEqual([
      { id: "12-ab", name: "a", kind: "process", pid: 1, startedAt: 2, isSelf: false },
    ]);
    const [found] = programs.list();
    for (const each of ["control", "read"] as const) {
      const headers = { authorization: "Bearer secret" };
      const request = new Request("http://localhost/hawser/v1/state", { headers });
      const response = await found?.fetch(request, each);
      expect(await response?.json()).toEqual({ path: "/hawser/v1/state", token: null });
    }
    expect(rights).toEqual(["control", "read"]);
    await announcement.close();
    await programs.look();
    expect(programs.list()).toEqual([]);
    expect(existsSync(join(folder, "12-ab.json"))).toBe(false);
  });

  it("is a warning if the folder cannot be trusted, and the program goes on", async () => {
    const folder = newFolder();
    symlinkSync("/tmp", folder);
    const warning = new Promise<Error>((resolve) => process.once("warning", resolve));
    const announcement = announce(
      sourceWith("1-a", async () => new Response()),
      folder,
    );
    expect(await announcement.ready).toMatchObject({ code: "not_supported" });
    expect((await warning).message).toContain("hawser inspect cannot show this program");
    await announcement.close();
  });

  it("does not keep a program running, and leaves no file behind", async () => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o700 });
    const program = `
      import { inspector } from "@hawser/inspector";
      import { readdirSync } from "node:fs";
      inspector();
      const sockets = () => readdirSync(${JSON.stringify(folder)}).filter((name) => /^[^.].*sock$/.test(name));
      // Nothing but this timer keeps the program running.
      await new Promise((resolve) => {
        const timer = setInterval(() => {
          if (sockets().length === 0) return;
          clearInterval(timer);
          resolve();
        }, 5);
      });
      console.log(readdirSync(${JSON.stringify(folder)}).sort().map((name) => name.replace(/^\\d+-\\w+/, "")).join(" "));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      {
        env: { PATH: process.env["PATH"], XDG_RUNTIME_DIR: join(folder, "..") },
        cwd: import.meta.dirname,
      },
    );
    expect(stdout.trim()).toBe(".json .sock");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("inspector().listen()", () => {
  it("does not keep a program running under an open page", async ({ onTestFinished }) => {
    const program = `
      import { inspector } from "@hawser/inspector";
      console.log(await inspector({ announce: false }).listen());
      process.stdin.once("data", () => process.stdin.destroy());`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: import.meta.dirname,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exited = once(child, "exit");
    const [line] = await once(child.stdout, "data");
    const { origin, hash } = new URL(String(line).trim());
    const headers = { authorization: `Bearer ${hash.replace("#token=", "")}` };
    const reader = await SseReader.open(`${origin}/watch`, headers);
    await reader.until(({ event }) => event?.kind === "snapshot", 0);
    child.stdin.write("end\n");
    expect(await exited).toEqual([0, null]);
    await expect(reader.until(() => false)).rejects.toThrow();
  });
});

describe("AnnouncedPrograms", () => {
  it("reads few bytes of facts, and no name without end", async ({ onTestFinished }) => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o700 });
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(join(folder, "9-w.sock"), resolve));
    const programs = new AnnouncedPrograms(folder);
    onTestFinished(() => {
      programs.close();
      server.close();
    });
    const facts = join(folder, "9-w.json");
    writeFileSync(facts, JSON.stringify({ name: "x".repeat(70_000), kind: "process" }));
    await programs.open();
    expect(programs.list()).toEqual([]);
    writeFileSync(facts, JSON.stringify({ name: "x".repeat(5000), kind: "<b>", pid: 9 }));
    await programs.look();
    expect(programs.list().map(({ info }) => info)).toMatchObject([
      { id: "9-w", name: "x".repeat(200), kind: "process", pid: 9 },
    ]);
  });

  it("removes the socket of a program that is dead", async ({ onTestFinished }) => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o700 });
    const socket = join(folder, "99-dead.sock");
    // A process that is killed leaves its socket.
    const program = `require("node:net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`;
    await promisify(execFile)(process.execPath, ["--eval", program]).catch(() => {});
    writeFileSync(join(folder, "99-dead.json"), "{}");
    expect(existsSync(socket)).toBe(true);
    const programs = new AnnouncedPrograms(folder);
    await programs.open();
    onTestFinished(() => programs.close());
    expect(programs.list()).toEqual([]);
    expect(existsSync(socket)).toBe(false);
    expect(existsSync(join(folder, "99-dead.json"))).toBe(false);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    "does not show a socket or facts of another user, and leaves them",
    async ({ onTestFinished }) => {
      const folder = newFolder();
      mkdirSync(folder, { mode: 0o700 });
      const server = createServer((socket) => socket.destroy());
      const socket = join(folder, "8-z.sock");
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      const facts = join(folder, "8-z.json");
      writeFileSync(facts, JSON.stringify({ id: "8-z", name: "z", kind: "process" }));
      const programs = new AnnouncedPrograms(folder);
      await programs.open();
      onTestFinished(() => {
        programs.close();
        server.close();
      });
      const shown = async () => {
        await programs.look();
        return programs.list().map(({ info }) => info.id);
      };
      expect(await shown()).toEqual(["8-z"]);
      const [source] = programs.list();
      chownSync(socket, 1, 1);
      // A source that was trusted before is not asked any more either.
      const request = new Request("http://localhost/hawser/v1/state");
      expect(await (await source?.fetch(request, "read"))?.text()).toContain(
        "no socket of this user",
      );
      expect(await shown()).toEqual([]);
      expect(existsSync(socket)).toBe(true);
      chownSync(socket, 0, 0);
      chownSync(facts, 1, 1);
      expect(await shown()).toEqual([]);
      chownSync(facts, 0, 0);
      expect(await shown()).toEqual(["8-z"]);
      // The folder is checked at each look, and not only at the start.
      chownSync(folder, 1, 1);
      expect(await shown()).toEqual([]);
      chownSync(folder, 0, 0);
    },
  );

  it("tells when a program begins and when it ends", async ({ onTestFinished }) => {
    const programs = new AnnouncedPrograms(newFolder());
    await programs.open();
    onTestFinished(() => programs.close());
    const folder = folders.at(-1) as string;
    const nextChange = () =>
      new Promise<string[]>((resolve) => {
        const stop = programs.listen(() => {
          stop();
          resolve(programs.list().map(({ info }) => info.id));
        });
      });
    const begun = nextChange();
    const announcement = announce(
      sourceWith("5-x", async () => new Response("")),
      join(folder, "hawser"),
    );
    expect(await begun).toEqual(["5-x"]);
    const ended = nextChange();
    await announcement.close();
    expect(await ended).toEqual([]);
  });

  it("ignores a socket without readable facts, and one that is no HTTP is a 502", async ({
    onTestFinished,
  }) => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o700 });
    const server = createServer((socket) => socket.on("error", () => {}).end("what?\r\n"));
    await new Promise<void>((resolve) => server.listen(join(folder, "7-y.sock"), resolve));
    const programs = new AnnouncedPrograms(folder);
    await programs.open();
    onTestFinished(() => {
      programs.close();
      server.close();
    });
    expect(programs.list()).toEqual([]);
    const facts = { id: "7-y", name: "y", kind: "process", pid: 7, startedAt: 1 };
    writeFileSync(join(folder, "7-y.json"), JSON.stringify(facts));
    await programs.look();
    const [found] = programs.list();
    const response = await found?.fetch(new Request("http://localhost/hawser/v1/state"), "read");
    expect(response?.status).toBe(502);
  });
});
