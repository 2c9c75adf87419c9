// Starts a private Postgres in a folder, prints its URL, and lets it stop when the standard input ends. Argument: the
// folder. It runs on Node 22, because it is the Postgres of @hawser/fleet.
import { openDatabase } from "../../../fleet/dist/database/open-database.js";

const database = await openDatabase({ folder: process.argv[2] });
const { rows } = await database.query(
  "select trim('\"' from current_setting('unix_socket_directories')) as host, current_user as name",
);
const [{ host, name }] = rows;
console.log(`postgres://${name}@localhost/postgres?host=${encodeURIComponent(String(host))}`);
process.stdin.resume();
process.stdin.on("end", () => database.close());
