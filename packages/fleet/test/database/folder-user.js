// A program that uses the database in a folder, until it is told to close it or is killed. It runs the built package,
// because Node does not read its sources. Arguments: the folder. It prints `open`, and answers each line of the
// standard input: `ping` by writing a row, anything else by closing.
import { createInterface } from "node:readline";
import { openDatabase } from "../../dist/database/open-database.js";

const database = await openDatabase({ folder: process.argv[2] });
await database.transaction(async (db) => {
  // Postgres lets two programs that make the same table at once collide.
  await db.query("select pg_advisory_xact_lock(1)");
  await db.query("create table if not exists public.ping (pid integer)");
});
console.log("open");
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== "ping") break;
  await database.query("insert into public.ping values ($1)", [process.pid]);
  console.log("pong");
}
await database.close();
console.log("closed");
