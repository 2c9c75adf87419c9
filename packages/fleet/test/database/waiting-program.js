// A program that waits for the database only: until it listens, and until it is closed. Its argument is a URL.
import { openDatabase } from "../../dist/database/open-database.js";

const database = await openDatabase(process.argv[2]);
await database.listen("event", () => {});
await database.close();
process.stdout.write("closed\n");
