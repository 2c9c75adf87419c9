import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  locatePostgres,
  type PostgresBinaries,
} from "../../src/database/embedded/locate-postgres.js";
import { openDatabase } from "../../src/database/open-database.js";
import { moveFolder } from "../../src/engine/move-folder.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { gone, removeFolder, temporaryFolder } from "../support/folder-world.js";

const found = await locatePostgres({ ...process.env, HAWSER_POSTGRES: "" });
const [older, newer] = [...found].sort((a, b) => a.major - b.major) as [
  PostgresBinaries,
  PostgresBinaries,
];

/** It needs two versions of Postgres: the system's, and that of npm. */
describe.runIf(older?.major !== newer?.major && newer !== undefined)(
  "moveFolder()",
  { timeout: 300_000 },
  () => {
    let root: string;
    let folder: string;
    beforeEach(() => {
      root = temporaryFolder();
      folder = join(root, "fleet");
    });
    afterEach(async () => {
      vi.unstubAllEnvs();
      await removeFolder(root);
    }, 180_000);

    /** A folder of the older version with some rows in it. */
    async function fillFolder(): Promise<string> {
      vi.stubEnv("HAWSER_POSTGRES", older.bin);
      const database = await openDatabase({ folder });
      const engine = await openEngine(database);
      const session = "6f0d5a34-9a1c-4f6e-8f0e-000000000000";
      const job = await database.transaction((db) =>
        engine.send({ queue: "default", run: session, session, group: "it's", rank: 7 }, db),
      );
      await database.query("insert into hawser.session (id, tenant, title) values ($1, 'a', $2)", [
        session,
        'back\\slash, "quotes" and \\u0000',
      ]);
      for (let at = 0; at < 450; at += 1) {
        await database.query(
          "insert into hawser.entry (session_id, seq, epoch, body) values ($1, $2, 1, $3)",
          [session, at, JSON.stringify({ at, text: "ü\n\t\u0001" })],
        );
      }
      await engine.close();
      await database.close();
      vi.unstubAllEnvs();
      return job;
    }

    it("moves rows and waiting jobs to the newer version, and keeps the old data", async () => {
      const job = await fillFolder();
      await gone(folder);
      vi.stubEnv("HAWSER_POSTGRES", newer.bin);
      await expect(openDatabase({ folder })).rejects.toMatchObject({
        code: "embedded_unavailable",
        hint: expect.stringContaining("hawser fleet move"),
      });
      const report = await moveFolder({ folder });
      expect(report).toEqual({
        from: older.major,
        to: newer.major,
        rows: expect.any(Number),
        kept: join(folder, `data-${older.major}`),
      });
      expect(report.rows).toBeGreaterThan(450);
      expect(existsSync(join(report.kept, "PG_VERSION"))).toBe(true);

      const database = await openDatabase({ folder });
      const engine = await openEngine(database);
      const { rows } = await database.query("select title, tenant from hawser.session");
      expect(rows).toEqual([{ tenant: "a", title: 'back\\slash, "quotes" and \\u0000' }]);
      const { rows: entries } = await database.query<{ body: string }>(
        "select body from hawser.entry order by seq",
      );
      expect(entries.map(({ body }) => JSON.parse(body))).toEqual(
        Array.from({ length: 450 }, (_, at) => ({ at, text: "ü\n\t\u0001" })),
      );
      const claimed = await database.transaction((db) =>
        engine.claim({ queue: "default", blocked: [] }, db),
      );
      expect(claimed?.id).toBe(job);
      await engine.close();
      await database.close();
    });

    it("moves a database whose tables take longer than a minute to read", async () => {
      await fillFolder();
      vi.stubEnv("HAWSER_POSTGRES", older.bin);
      const database = await openDatabase({ folder });
      // The rows travel as JSON. A slow conversion stands for a large table.
      await database.query(
        `create type public.slow as enum ('slow');
         create function public.slow_json(public.slow) returns json language plpgsql as $$
         begin
           if current_setting('hawser.slept', true) is null then
             perform pg_sleep(62), set_config('hawser.slept', 'yes', false);
           end if;
           return to_json($1::text);
         end $$;
         create cast (public.slow as json) with function public.slow_json(public.slow);
         alter table hawser.session alter column title type public.slow using 'slow'`,
      );
      await database.close();
      await gone(folder);
      const report = await moveFolder({ folder, to: newer.bin });
      expect(report.rows).toBeGreaterThan(450);
      vi.stubEnv("HAWSER_POSTGRES", newer.bin);
      const moved = await openDatabase({ folder });
      expect((await moved.query("select title from hawser.session")).rows).toEqual([
        { title: "slow" },
      ]);
      await moved.close();
    });

    it("changes nothing if a table is not of a fleet", async () => {
      await fillFolder();
      vi.stubEnv("HAWSER_POSTGRES", older.bin);
      const database = await openDatabase({ folder });
      await database.query("create table public.mine (value integer)");
      await expect(moveFolder({ folder, to: newer.bin })).rejects.toMatchObject({
        code: "embedded_unavailable",
        message: expect.stringContaining("Other programs use"),
      });
      await database.close();
      await gone(folder);
      await expect(moveFolder({ folder, to: newer.bin })).rejects.toMatchObject({
        code: "not_supported",
        message: expect.stringContaining("public.mine"),
      });
      const again = await openDatabase({ folder });
      expect((await again.query("select count(*)::int from hawser.entry")).rows).toEqual([
        { count: 450 },
      ]);
      await again.close();
    });

    it("uses the new data if the move was killed between its last two steps", async () => {
      await fillFolder();
      await gone(folder);
      renameSync(join(folder, "data"), join(folder, "data.moved"));
      vi.stubEnv("HAWSER_POSTGRES", older.bin);
      const database = await openDatabase({ folder });
      expect((await database.query("select count(*)::int from hawser.entry")).rows).toEqual([
        { count: 450 },
      ]);
      await database.close();
      await gone(folder);
      expect(readdirSync(folder)).not.toContain("data.moved");
    });

    it("says what is missing", async () => {
      mkdirSync(folder);
      await expect(moveFolder({ folder })).rejects.toMatchObject({ code: "invalid_options" });
      await fillFolder();
      await gone(folder);
      await expect(moveFolder({ folder, from: newer.bin })).rejects.toMatchObject({
        code: "embedded_unavailable",
        hint: expect.stringContaining(`Install Postgres ${older.major}`),
      });
      await expect(moveFolder({ folder, to: older.bin })).rejects.toMatchObject({
        code: "embedded_unavailable",
        hint: expect.stringContaining("--to"),
      });
    });
  },
);
