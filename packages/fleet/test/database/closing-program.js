// A program that listens to a database, and whose last work is to close it. Argument: the URL.
import { openDatabase } from "../../dist/database/open-database.js";

const database = await openDatabase(process.argv[2]);
await database.listen("event", () => {});
await database.close();
console.log("closed");
