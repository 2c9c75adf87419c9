// A program that uses the library and is killed in the middle of a turn: run.js starts it.
import { randomUUID } from "node:crypto";
import { DIST } from "../../../../tools/dist.js";
import { obey } from "./ending.js";

const { complete, createPool, InMemorySessionStore, openSession } = await import(
  `${DIST}/index.js`
);
const { entry, ending, clis, options } = JSON.parse(process.argv[2]);
obey(ending);

// Long settings travel in a private file, which CLIs before 2.1.325 need as long as they live.
const deny = Array.from({ length: 600 }, (_, n) => `Read(/nowhere/${n})`);
const given = { ...options, allowedTools: ["Bash"], settings: { permissions: { deny } } };
const ENTRIES = {
  complete: () => complete("go", { ...given, tools: ["Bash"] }),
  session: async () => {
    const session = await openSession(given);
    await session.send("go").result;
  },
  stored: async () => {
    const sessionStore = new InMemorySessionStore();
    const id = randomUUID();
    const first = { type: "user", uuid: randomUUID(), parentUuid: null, sessionId: id };
    const key = { projectKey: options.cwd.replace(/[^a-zA-Z0-9]/g, "-"), sessionId: id };
    const message = { role: "user", content: "before" };
    await sessionStore.append(key, [{ ...first, timestamp: new Date().toISOString(), message }]);
    const session = await openSession({ ...given, sessionStore, resume: id });
    await session.send("go").result;
  },
  pool: async (size = clis) => {
    const pool = createPool({ size: { max: size }, concurrency: size });
    const call = () => pool.complete("go", { ...given, tools: ["Bash"] });
    await Promise.all(Array.from({ length: size }, call));
  },
  all: () => Promise.all([ENTRIES.complete(), ENTRIES.session(), ENTRIES.pool(clis - 2)]),
};
await ENTRIES[entry]();
