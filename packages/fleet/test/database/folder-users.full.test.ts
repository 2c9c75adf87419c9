import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isHawserError } from "hawser";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import {
  commandOf,
  gone,
  madeFolder,
  processesOf,
  removeFolder,
  startUser,
  temporaryFolder,
} from "../support/folder-world.js";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeFolder(root);
}, 180_000);

/** The id of the main process of the folder's Postgres. */
function postmaster(folder: string): number {
  return Number(readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n")[0]);
}

/** Runs the statement again as long as the error says that it may work later. */
async function persistently(database: Database, statement: string): Promise<unknown> {
  for (let tries = 0; ; tries += 1) {
    try {
      return (await database.query(statement)).rows;
    } catch (error) {
      if (!isHawserError(error, "database_unavailable") || !error.retryable || tries > 600) {
        throw error;
      }
      await sleep(50);
    }
  }
}

/** A start with initdb takes about a second of a core. */
const timeout = 180_000;

describe("openDatabase({ folder })", { timeout }, () => {
  it("starts a Postgres without a port, shares it with a second program, and stops it after the last one", async () => {
    const folder = join(root, "fleet");
    const database = await openDatabase({ folder });
    expect(database.kind).toBe("folder");
    const { rows } = await database.query("show listen_addresses");
    expect(rows).toEqual([{ listen_addresses: "" }]);
    const first = postmaster(folder);

    const user = await startUser(folder);
    expect(await user.ask("ping")).toBe("pong");
    expect((await database.query("select pid from public.ping")).rows).toEqual([
      { pid: user.process.pid },
    ]);
    await database.close();
    expect(await user.ask("ping")).toBe("pong");
    expect(postmaster(folder)).toBe(first);

    await user.close();
    await gone(folder);
    const again = await openDatabase({ folder });
    expect((await again.query("select pid from public.ping")).rows).toHaveLength(2);
    await again.close();
  });

  it("leaves nothing behind when all programs are killed, and keeps what was committed", async () => {
    const folder = madeFolder(root);
    const users = await Promise.all([startUser(folder), startUser(folder), startUser(folder)]);
    for (const user of users) expect(await user.ask("ping")).toBe("pong");
    await Promise.all(users.map((user) => user.kill()));
    await gone(folder);
    const database = await openDatabase({ folder });
    expect((await database.query("select pid from public.ping")).rows).toHaveLength(3);
    await database.close();
  });

  it("goes on by itself after Postgres was killed", async () => {
    const folder = madeFolder(root);
    const database = await openDatabase({ folder });
    const heard: (string | undefined)[] = [];
    await database.listen("wake", (payload) => heard.push(payload));
    await database.query("create table public.kept (value integer)");
    await database.query("insert into public.kept values (1)");
    process.kill(postmaster(folder), "SIGKILL");
    expect(await persistently(database, "select value from public.kept")).toEqual([{ value: 1 }]);
    await vi.waitFor(() => expect(heard).toEqual([undefined]), 60_000);
    await database.notify(database, "wake", "again");
    await vi.waitFor(() => expect(heard).toEqual([undefined, "again"]), 60_000);
    await database.close();
  });

  it("goes on by itself after Postgres and its supervisor were killed", async () => {
    const folder = madeFolder(root);
    const database = await openDatabase({ folder });
    await database.query("create table public.kept (value integer)");
    for (const pid of processesOf(folder)) process.kill(pid, "SIGKILL");
    expect(await persistently(database, "select value from public.kept")).toEqual([]);
    await database.close();
  });

  it("takes the place of a supervisor that was killed, and ends the Postgres that it left", async () => {
    const folder = madeFolder(root);
    const database = await openDatabase({ folder });
    const first = postmaster(folder);
    for (const pid of processesOf(folder).filter((one) =>
      commandOf(one).includes("hawser-database"),
    )) {
      process.kill(pid, "SIGKILL");
    }
    const user = await startUser(folder);
    expect(postmaster(folder)).not.toBe(first);
    expect(await persistently(database, "select 1 as one")).toEqual([{ one: 1 }]);
    await user.close();
    await database.close();
  });

  it("makes a database anew if initdb was killed", async () => {
    const folder = join(root, "fleet");
    const program = startUser(folder).catch((error: unknown) => error);
    const initdb = await vi.waitFor(
      () => {
        const found = processesOf(folder).filter((pid) => commandOf(pid).includes("initdb"));
        if (found.length === 0) throw new Error("initdb has not begun.");
        return found;
      },
      { timeout: 60_000, interval: 2 },
    );
    for (const pid of new Set([...processesOf(folder), ...initdb])) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended with another one.
      }
    }
    await program;
    await gone(folder);
    const database = await openDatabase({ folder });
    expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await database.close();
  });

  it("works in a folder with a long path, spaces, quotes and commas", async () => {
    const folder = join(root, "a folder, 'quoted' and \"so on\"", "x".repeat(120), "fleet");
    const database = await openDatabase({ folder });
    const user = await startUser(folder);
    expect(await user.ask("ping")).toBe("pong");
    await user.close();
    await database.close();
    await gone(folder);
  });
});

describe("openDatabase({ folder }) where it cannot work", { timeout }, () => {
  const waysOut = expect.stringMatching(/install Postgres.*HAWSER_POSTGRES.*URL.*:memory:/);

  it("says embedded_unavailable if HAWSER_POSTGRES has no programs", async () => {
    vi.stubEnv("HAWSER_POSTGRES", root);
    await expect(openDatabase({ folder: join(root, "fleet") })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringContaining(`HAWSER_POSTGRES is ${root}`),
      hint: waysOut,
    });
  });

  it("says embedded_unavailable if the folder cannot be made", async () => {
    writeFileSync(join(root, "file"), "");
    await expect(openDatabase({ folder: join(root, "file/fleet") })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringMatching(/ENOTDIR|EEXIST/),
      // A Postgres of one's own would not help.
      hint: "Choose a folder that this program may write to, or pass the URL of a database.",
    });
  });

  it("refuses a folder of another major version and names `hawser fleet move`", async () => {
    mkdirSync(join(root, "fleet/data"), { recursive: true });
    writeFileSync(join(root, "fleet/data/PG_VERSION"), "9\n");
    await expect(openDatabase({ folder: join(root, "fleet") })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringMatching(
        /^Postgres 9 made the database in .*this machine has Postgres \d+/,
      ),
      hint: expect.stringContaining("`hawser fleet move`"),
    });
  });

  it("leaves a folder alone that holds other files, and changes nothing in it", async () => {
    mkdirSync(join(root, "fleet/data"), { recursive: true });
    writeFileSync(join(root, "fleet/data/letter.txt"), "Dear Postgres");
    const before = statSync(join(root, "fleet"));
    await expect(openDatabase({ folder: join(root, "fleet") })).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining("is not empty, and holds no fleet"),
    });
    expect(readdirSync(join(root, "fleet"), { recursive: true })).toEqual([
      "data",
      "data/letter.txt",
    ]);
    expect(statSync(join(root, "fleet")).uid).toBe(before.uid);
  });

  it("takes an empty folder, also one that is a new disk or is kept by git", async () => {
    const folder = join(root, "fleet");
    mkdirSync(join(folder, "lost+found"), { recursive: true });
    writeFileSync(join(folder, ".gitignore"), "*");
    await (await openDatabase({ folder })).close();
    await gone(folder);
  });

  it("makes no database with migrate: false", async () => {
    const folder = join(root, "missing");
    await expect(openDatabase({ folder }, { migrate: false })).rejects.toMatchObject({
      code: "not_supported",
      message: `There is no fleet in ${folder}.`,
    });
    expect(existsSync(folder)).toBe(false);
  });

  it("leaves a folder `data` of a fleet alone that is not a database", async () => {
    const folder = join(root, "fleet");
    mkdirSync(join(folder, "data"), { recursive: true });
    writeFileSync(join(folder, "data/letter.txt"), "Dear Postgres");
    execFileSync("mkfifo", ["-m", "600", join(folder, "alive")]);
    if (process.getuid?.() === 0) execFileSync("chown", ["-R", "nobody:", folder]);
    await expect(openDatabase({ folder })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringContaining("is not a database of Postgres"),
    });
    expect(readFileSync(join(folder, "data/letter.txt"), "utf8")).toBe("Dear Postgres");
  });

  it("tells the end of Postgres's log if Postgres does not start", async () => {
    const folder = madeFolder(root);
    await (await openDatabase({ folder })).close();
    await gone(folder);
    writeFileSync(join(folder, "data/postgresql.conf"), "no_such_setting = on\n");
    await expect(openDatabase({ folder })).rejects.toMatchObject({
      code: "embedded_unavailable",
      message: expect.stringContaining("no_such_setting"),
    });
  });
});
