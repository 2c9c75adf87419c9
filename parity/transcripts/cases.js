// Each case does the same with the official functions and with ours. `f` is one of the two, `o` creates
// its options. The results of a case, or the fact that it throws, are compared.
import { craftedId, forkPoints } from "./crafted.js";

/** Cases that change nothing. */
export function* reading(ids, cwd, crafted) {
  yield ["listSessions", (f, o) => f.listSessions(o())];
  yield ["listSessions of a directory", (f, o) => f.listSessions(o({ dir: cwd }))];
  for (const page of [
    { limit: 2 },
    { limit: 3, offset: 1 },
    { offset: 2 },
    { limit: 0 },
    { limit: -1 },
  ]) {
    const name = `listSessions ${JSON.stringify(page)}`;
    yield [name, (f, o) => f.listSessions(o({ dir: cwd, ...page }))];
    yield [`${name} of all`, (f, o) => f.listSessions(o(page))];
  }
  yield ["listSessions of nowhere", (f, o) => f.listSessions(o({ dir: "/no/where" }))];
  yield ["listSessions of people", (f, o) => f.listSessions(o({ includeProgrammatic: false }))];
  const sessions = [
    ...Object.values(ids),
    ...crafted,
    craftedId(99_999),
    "../x",
    "",
    ids.tools.toUpperCase(),
  ];
  for (const id of sessions) {
    yield [`getSessionInfo ${id}`, (f, o) => f.getSessionInfo(id, o())];
    yield [`getSessionMessages ${id}`, (f, o) => f.getSessionMessages(id, o())];
    const system = { includeSystemMessages: true };
    yield [`getSessionMessages ${id} with system`, (f, o) => f.getSessionMessages(id, o(system))];
    yield [`listSubagents ${id}`, (f, o) => f.listSubagents(id, o())];
  }
  for (const page of [{ limit: 2, offset: 1 }, { limit: 0 }, { offset: 7 }, { limit: -1 }]) {
    const name = `getSessionMessages ${JSON.stringify(page)}`;
    yield [name, (f, o) => f.getSessionMessages(ids.tools, o(page))];
  }
  for (const id of [ids.agent, craftedId(1)]) {
    yield [
      `getSubagentMessages of ${id}`,
      async (f, o) => {
        const agents = await f.listSubagents(id, o());
        return Promise.all(agents.map((agent) => f.getSubagentMessages(id, agent, o())));
      },
    ];
  }
  for (const agent of ["../x", "", "zz", "agent-abc", "workflows/w1/agent-deep"]) {
    const name = `getSubagentMessages ${agent}`;
    yield [name, (f, o) => f.getSubagentMessages(craftedId(1), agent, o())];
  }
}

/** Cases that write. The files are compared afterwards. */
export function* writing(ids, cwd, crafted) {
  const { tools, agent, before, after, compacted } = ids;
  yield ["renameSession", (f, o) => f.renameSession(tools, "  A new title  ", o())];
  yield ["renameSession in a directory", (f, o) => f.renameSession(after, "Here", o({ dir: cwd }))];
  yield ["tagSession", (f, o) => f.tagSession(tools, " red ", o())];
  yield ["tagSession twice", (f, o) => f.tagSession(after, "blue", o())];
  yield ["tagSession null", (f, o) => f.tagSession(after, null, o())];
  yield ["archiveSession", (f, o) => f.archiveSession(tools, o())];
  yield ["archiveSession again", (f, o) => f.archiveSession(compacted, o())];
  yield ["unarchiveSession", (f, o) => f.unarchiveSession(compacted, o())];
  for (const id of [tools, after, compacted]) {
    yield [`getSessionInfo afterwards ${id}`, (f, o) => f.getSessionInfo(id, o())];
  }
  for (const id of [...Object.values(ids), ...crafted]) {
    yield [`forkSession ${id}`, (f, o) => f.forkSession(id, o())];
  }
  yield ["forkSession with a title", (f, o) => f.forkSession(tools, o({ title: "  Mine " }))];
  yield ["forkSession with a blank title", (f, o) => f.forkSession(tools, o({ title: " " }))];
  for (const id of crafted.slice(-60)) {
    for (const upToMessageId of forkPoints) {
      yield [
        `forkSession ${id} up to ${upToMessageId}`,
        (f, o) => f.forkSession(id, o({ upToMessageId })),
      ];
    }
  }
  yield [
    "forkSession up to the middle",
    async (f, o) => {
      const [, , third] = await f.getSessionMessages(tools, o());
      return f.forkSession(tools, o({ upToMessageId: third.uuid }));
    },
  ];
  yield ["deleteSession", (f, o) => f.deleteSession(agent, o())];
  yield ["deleteSession in a directory", (f, o) => f.deleteSession(before, o({ dir: cwd }))];
  const none = craftedId(99_999);
  for (const id of ["x", "../x", none]) {
    yield [`renameSession ${id}`, (f, o) => f.renameSession(id, "x", o())];
    yield [`tagSession ${id}`, (f, o) => f.tagSession(id, "x", o())];
    yield [`archiveSession ${id}`, (f, o) => f.archiveSession(id, o())];
    yield [`unarchiveSession ${id}`, (f, o) => f.unarchiveSession(id, o())];
    yield [`forkSession ${id}`, (f, o) => f.forkSession(id, o())];
    yield [`deleteSession ${id}`, (f, o) => f.deleteSession(id, o())];
  }
  yield ["renameSession to nothing", (f, o) => f.renameSession(tools, "  ", o())];
  yield ["tagSession with nothing", (f, o) => f.tagSession(tools, " ", o())];
  yield ["forkSession up to nothing", (f, o) => f.forkSession(tools, o({ upToMessageId: none }))];
  yield [
    "archiveSession in a store",
    (f, o) => f.archiveSession(tools, o({ sessionStore: new f.InMemorySessionStore() })),
  ];
  yield [
    "listSessions afterwards",
    async (f, o) => {
      // Forks of the same millisecond are sorted by their ids, which are random.
      const sessions = await f.listSessions(o({ dir: cwd }));
      const shown = sessions.map(({ summary, fileSize, tag }) => ({ summary, fileSize, tag }));
      return shown.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    },
  ];
}

/** Cases with a store on each side. Every call of the store is compared, too. */
export function* storing(ids, cwd, crafted) {
  const at = { dir: cwd };
  const imported = [ids.tools, ids.agent, ids.after, ids.compacted, ids.named, ids.image];
  for (const id of [...imported, ...crafted]) {
    yield [
      `importSessionToStore ${id}`,
      (f, o, store) => f.importSessionToStore(id, store, o(crafted.includes(id) ? {} : at)),
    ];
  }
  yield [
    "importSessionToStore in batches",
    (f, o, store) => f.importSessionToStore(ids.tools, store, o({ batchSize: 7 })),
  ];
  yield [
    "importSessionToStore of nothing",
    (f, o, store) => f.importSessionToStore(craftedId(99_999), store, o()),
  ];
  yield ["listSessions", (f, o, sessionStore) => f.listSessions(o({ ...at, sessionStore }))];
  yield [
    "listSessions, page",
    (f, o, sessionStore) => f.listSessions(o({ ...at, sessionStore, limit: 2, offset: 1 })),
  ];
  yield ["listSessions here", (f, o, sessionStore) => f.listSessions(o({ sessionStore }))];
  for (const id of [...imported, craftedId(99_999), "x"]) {
    yield [
      `getSessionInfo ${id}`,
      (f, o, sessionStore) => f.getSessionInfo(id, o({ ...at, sessionStore })),
    ];
    yield [
      `getSessionMessages ${id}`,
      (f, o, sessionStore) => f.getSessionMessages(id, o({ ...at, sessionStore })),
    ];
    yield [
      `listSubagents ${id}`,
      (f, o, sessionStore) => f.listSubagents(id, o({ ...at, sessionStore })),
    ];
  }
  for (const id of crafted) {
    yield [
      `getSessionInfo ${id}`,
      (f, o, sessionStore) => f.getSessionInfo(id, o({ sessionStore })),
    ];
    yield [
      `getSessionMessages ${id}`,
      (f, o, sessionStore) => f.getSessionMessages(id, o({ sessionStore })),
    ];
  }
  yield [
    "getSubagentMessages",
    async (f, o, sessionStore) => {
      const agents = await f.listSubagents(ids.agent, o({ ...at, sessionStore }));
      return Promise.all(
        agents.map((agent) => f.getSubagentMessages(ids.agent, agent, o({ ...at, sessionStore }))),
      );
    },
  ];
  yield [
    "renameSession",
    (f, o, sessionStore) => f.renameSession(ids.tools, "In the store", o({ ...at, sessionStore })),
  ];
  yield [
    "tagSession",
    (f, o, sessionStore) => f.tagSession(ids.tools, "t", o({ ...at, sessionStore })),
  ];
  yield [
    "forkSession",
    (f, o, sessionStore) => f.forkSession(ids.tools, o({ ...at, sessionStore })),
  ];
  yield [
    "forkSession of nothing",
    (f, o, sessionStore) => f.forkSession(craftedId(99_999), o({ ...at, sessionStore })),
  ];
  yield [
    "deleteSession",
    (f, o, sessionStore) => f.deleteSession(ids.agent, o({ ...at, sessionStore })),
  ];
  yield [
    "listSessions afterwards",
    (f, o, sessionStore) => f.listSessions(o({ ...at, sessionStore })),
  ];
}
