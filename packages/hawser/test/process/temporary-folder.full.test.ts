import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostId } from "../../src/process/end/host-identity.js";
import { isOwnFolder, removeOwnFolderSync } from "../../src/process/temporary/remove-folder.js";
import { TemporaryFolder } from "../../src/process/temporary/temporary-folder.js";
import {
  hostOfTemporaryName,
  temporaryPath,
  temporaryPrefix,
} from "../../src/process/temporary/temporary-path.js";
import { FULL } from "../support/cli.js";

const HOST = fileURLToPath(new URL("ending-host.js", import.meta.url));

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "temporary-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("temporaryPath()", () => {
  it("returns a name that contains the host", () => {
    const name = basename(temporaryPath());
    expect(hostOfTemporaryName(name)).toBe(hostId());
    expect(name.startsWith(temporaryPrefix(hostId()))).toBe(true);
    expect(basename(temporaryPath())).not.toBe(name);
  });
});

describe("hostOfTemporaryName()", () => {
  it.each([
    "hawser-bin-a1",
    "hawser-",
    "hawser-1.2.3.4",
    "x-hawser-1.2.3.4-a1",
    "hawser-1.2.3.4-a1-x",
  ])("returns undefined for %j", (name) => expect(hostOfTemporaryName(name)).toBeUndefined());
});

describe("removeOwnFolderSync()", () => {
  it("does not follow or remove a symbolic link", () => {
    const [here, elsewhere] = [folder(), folder()];
    mkdirSync(join(elsewhere, "work"));
    symlinkSync(elsewhere, join(here, "link"));
    removeOwnFolderSync(join(here, "link"));
    expect(existsSync(join(here, "link", "work"))).toBe(true);
  });

  it.skipIf(process.geteuid?.() !== 0)("does not remove the folder of another user", () => {
    const path = join(folder(), "other");
    mkdirSync(path);
    chownSync(path, 54321, 54321);
    expect(isOwnFolder(path)).toBe(false);
    removeOwnFolderSync(path);
    expect(existsSync(path)).toBe(true);
  });
});

/** Fills a folder, and puts a link in its place as soon as its removal has begun. */
const SWAP = `
const fs = require("node:fs");
const [inner, victim] = process.argv.slice(1);
const full = inner + "/full";
fs.mkdirSync(full);
for (let i = 0; i < 2000; i++) fs.writeFileSync(full + "/f" + i, "");
for (let i = 0; i < 100; i++) fs.writeFileSync(full + "/kept" + i, "");
process.stdout.write("ready");
while (fs.existsSync(full + "/f0") && fs.existsSync(full + "/f1000"));
try { fs.renameSync(full, inner + "/away"); fs.symlinkSync(victim, full); } catch {}
`;

describe("TemporaryFolder", () => {
  it("removes its folder on remove()", async () => {
    const made = new TemporaryFolder(0o700);
    mkdirSync(join(made.path, "inside"));
    expect(isOwnFolder(made.path)).toBe(true);
    await made.remove();
    expect(existsSync(made.path)).toBe(false);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    "removes nothing through a symbolic link of another user",
    async () => {
      const victim = join(folder(), "victim");
      for (let round = 0; round < (FULL ? 5 : 1); round++) {
        mkdirSync(victim, { recursive: true });
        for (let i = 0; i < 100; i++) writeFileSync(join(victim, `kept${i}`), "");
        const made = new TemporaryFolder(0o711);
        const inner = join(made.path, "inner");
        mkdirSync(inner);
        chownSync(inner, 54321, 54321);
        const swapper = spawn(process.execPath, ["-e", SWAP, inner, victim], {
          uid: 54321,
          gid: 54321,
          cwd: "/",
          stdio: ["ignore", "pipe", "ignore"],
        });
        const gone = once(swapper, "exit");
        await once(swapper.stdout, "data");
        await made.remove();
        swapper.kill("SIGKILL");
        await gone;
        expect(readdirSync(victim)).toHaveLength(100);
      }
    },
    200_000,
  );

  it.each([
    ["process.exit()", "exit", { code: 3, signal: null }],
    ["an uncaught error", "throw", { code: 1, signal: null }],
    ["an unhandled rejection", "reject", { code: 1, signal: null }],
    ["the end of its work", "return", { code: 4, signal: null }],
    ["SIGTERM", "SIGTERM", { code: null, signal: "SIGTERM" }],
    ["SIGHUP", "SIGHUP", { code: null, signal: "SIGHUP" }],
    ["SIGINT", "SIGINT", { code: null, signal: "SIGINT" }],
  ] as const)(
    "is removed when the program ends by %s before its first process",
    async (_, how, end) => {
      const TMPDIR = folder();
      const child = spawn(process.execPath, [HOST, how], {
        env: { ...process.env, TMPDIR },
        stdio: ["ignore", "pipe", "ignore"],
      });
      const exit = once(child, "exit");
      if (how.startsWith("SIG")) {
        await once(child.stdout, "data");
        expect(readdirSync(TMPDIR)).toHaveLength(2);
        child.kill(how as NodeJS.Signals);
      } else expect(await text(child.stdout)).toBe("ready\n");
      const [code, signal] = await exit;
      expect({ code, signal }).toEqual(end);
      expect(readdirSync(TMPDIR)).toEqual([]);
    },
  );
});
