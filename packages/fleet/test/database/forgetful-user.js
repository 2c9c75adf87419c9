// A program that opens a database, uses it, listens to it, and forgets to close it. It must end by itself.
// Arguments: `folder`, `url` or `memory`, and the folder or URL.
import { openDatabase } from "../../dist/database/open-database.js";
import { openEngine } from "../../dist/engine/open-engine.js";

const [kind, place] = process.argv.slice(2);
const target = { folder: { folder: place }, url: place, memory: ":memory:" }[kind];
const database = await openDatabase(target);
const engine = await openEngine(database);
await engine.recover();
await database.listen("wake", () => {});
await database.transaction((db) => db.query("select 1"));
console.log("done");
