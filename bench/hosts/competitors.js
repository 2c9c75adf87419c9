// The ways to make a call that the bench compares. Only `call()` is timed, until its result is there.
// `before()` and `after()` prepare the call and clean up. No setting of the machine changes the answer.
// The page shows `label` and `about`.
import { pathToFileURL } from "node:url";
import { DIST } from "../../tools/dist.js";
import { startRaw } from "./raw.js";

export const COMPETITORS = {
  query: {
    label: "official query()",
    about: "a new process for each call.",
    tone: "theirs",
    endsProcess: true,
    async open(place) {
      const { query } = await import("@anthropic-ai/claude-agent-sdk");
      return { call: (prompt) => resultOf(query({ prompt, options: officialOptions(place) })) };
    },
  },

  startup: {
    label: "official startup()",
    about:
      "a process that was started and initialized for this call, right after the call before it, as a spare of a pool is. Only `warm.query(prompt)` is timed.",
    tone: "theirs",
    async open(place) {
      const { startup } = await import("@anthropic-ai/claude-agent-sdk");
      const start = () => startup({ options: officialOptions(place) });
      let warm = await start();
      return {
        call: (prompt) => resultOf(warm.query(prompt)),
        // As long before the next call as the spare processes of a pool, because a waiting process gets slower.
        async after() {
          warm = await start();
        },
        close: () => warm.close(),
      };
    },
  },

  cold: {
    label: "hawser complete(), cold",
    about: "a new process for each call.",
    tone: "ours",
    endsProcess: true,
    async open(place) {
      const { complete } = await hawser();
      const options = hawserOptions(place);
      return { call: async (prompt) => (await complete(prompt, options)).result };
    },
  },

  generic: {
    label: "hawser pool, generic spare",
    about:
      "a process that was started without the options of the call. The system prompt is different in each round.",
    tone: "ours",
    async open(place) {
      let calls = 0;
      // A new prompt each time, with which no process was initialized.
      const options = () => ({ ...hawserOptions(place), systemPrompt: systemPrompt(++calls) });
      return openPool({ isolation: "process", size: { min: 1, max: 2 } }, options, "generic");
    },
  },

  warmed: {
    label: "hawser pool, warmed spare",
    about:
      'a process that was started and initialized with the options of the call (`warm: [options]`). It serves one call (`isolation: "process"`).',
    tone: "ours",
    async open(place) {
      const options = hawserOptions(place);
      const pool = { isolation: "process", size: { min: 1, max: 2 }, warm: [options] };
      return openPool(pool, () => options, "initialized");
    },
  },

  recycled: {
    label: "hawser pool, recycled process",
    about: "a process that has served another call. Its conversation was reset after that call.",
    tone: "ours",
    async open(place) {
      const options = hawserOptions(place);
      return openPool({ size: { min: 1, max: 1 } }, () => options, "recycled");
    },
  },

  raw: {
    label: "raw limit, by hand",
    about:
      "forty lines of Node that write a prompt to one process, wait for its result, and check nothing. No library can be faster.",
    tone: "limit",
    async open(place) {
      const cli = startRaw({ ...place, systemPrompt: systemPrompt() });
      await cli.initialize();
      return {
        call: (prompt) => cli.ask(prompt),
        after: () => cli.clear(),
        close: () => cli.close(),
      };
    },
  },
};

/** The raw limit of a process that serves its first call. */
export const RAW_SPARE = {
  label: "raw limit, new process",
  async open(place) {
    const start = async () => {
      const cli = startRaw({ ...place, systemPrompt: systemPrompt() });
      await cli.initialize();
      return cli;
    };
    let cli = await start();
    return {
      call: (prompt) => cli.ask(prompt),
      async after() {
        await cli.close();
        cli = await start();
      },
      close: () => cli.close(),
    };
  },
};

export async function openPool(poolOptions, options, state) {
  const { createPool } = await hawser();
  const pool = createPool(poolOptions);
  // A pool that knows no options in advance starts no process before its first call.
  if (poolOptions.warm === undefined) await pool.complete("First.", options());
  const rest = () => settled(pool, state);
  return {
    before: rest,
    call: async (prompt) => (await pool.complete(prompt, options())).result,
    after: rest,
    close: () => pool.close(),
  };
}

/** Resolves when a process waits in one of these states and no other work of the pool is running. */
export async function settled(pool, ...states) {
  const limit = performance.now() + 30_000;
  for (;;) {
    const { processes } = pool.stats();
    const waits = states.some((state) => processes[state] > 0);
    if (waits && MOVING.every((name) => processes[name] === 0)) return;
    if (performance.now() > limit) {
      throw new Error(
        `No rest, or no ${states.join(" or ")} process: ${JSON.stringify(processes)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const MOVING = ["starting", "serving", "resetting", "closing"];

export function hawser() {
  return import(pathToFileURL(`${DIST}/index.js`).href);
}

export function hawserOptions({ cli, cwd, env }) {
  return { cliPath: cli, cwd, env, inheritEnv: false, systemPrompt: systemPrompt() };
}

/** The defaults of hawser's call. */
export function officialOptions({ cli, cwd, env }) {
  return {
    pathToClaudeCodeExecutable: cli,
    cwd,
    env,
    tools: [],
    settingSources: [],
    strictMcpConfig: true,
    persistSession: false,
    systemPrompt: systemPrompt(),
  };
}

/** All prompts have one length, so that no model has more to read. */
export function systemPrompt(number = 0) {
  return `Answer in one sentence. ${String(number).padStart(4, "0")}`;
}

/** Returns as soon as the result arrives, because the end of the process is not part of the caller's wait. */
function resultOf(messages) {
  return new Promise((resolve, reject) => {
    const read = async () => {
      for await (const message of messages) if (message.type === "result") resolve(message);
    };
    read().catch(reject);
  });
}
