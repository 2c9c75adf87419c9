// How a cell is run by each entry point: to its outcome, and then to its end.
import { getEventListeners } from "node:events";
import { DIST } from "../../../../tools/dist.js";
import { graceOf, patienceOf, timeoutsOf } from "./expectation.js";
import { ANSWER, AT_STEP, DENIED, GO, isAsking, UP } from "./scenario.js";

const {
  AbortError,
  complete,
  createPool,
  createSdkMcpServer,
  isHawserError,
  openSession,
  query,
  stream,
  tool,
} = await import(`${DIST}/index.js`);

/**
 * Runs a cell. The CLI reports when it has reached the step, and before that when its turn has begun.
 * `outcome` settles when the caller has the outcome, `over` when the caller has closed everything.
 */
export function runCell(cell, onStep, onUp) {
  const controller = new AbortController();
  const run = {
    cell,
    controller,
    /** @type {string[]} */
    problems: [],
    /** What was logged about lines that are no messages. */
    noise: 0,
    interrupt: () => {},
    patience: undefined,
  };
  const options = optionsOf(run, onStep, onUp);
  const begun = ENTRIES[cell.entry](run, options);
  const outcome = begun.outcome
    .catch((error) => failureOf(error))
    .then((facts) => {
      clearTimeout(run.patience);
      return { ...facts, noise: run.noise };
    });
  const over = outcome
    .then(() => begun.close?.())
    .then(() => {
      const listeners = getEventListeners(controller.signal, "abort").length;
      if (listeners > 0) run.problems.push(`left ${listeners} listeners on its signal`);
    })
    .catch((error) => run.problems.push(`could not be closed: ${error?.stack ?? error}`));
  return { outcome, over, problems: run.problems };
}

const ENTRIES = {
  complete: (run, options) => {
    run.interrupt = () => run.controller.abort();
    return { outcome: complete(promptOf(run), options).then(answered) };
  },

  stream: (run, options) => {
    run.interrupt = () => run.controller.abort();
    return { outcome: streamed(stream(promptOf(run), options)) };
  },

  session: (run, options) => {
    let session;
    const outcome = openSession(options).then((opened) => {
      session = opened;
      return conversed(run, opened);
    });
    return { outcome, close: () => session?.close() };
  },

  query: (run, { signal: _, timeouts, literalPrompt: __, ...options }) => {
    const { bootMs } = timeouts;
    const q = query({
      prompt: promptOf(run),
      options: {
        ...options,
        abortController: run.controller,
        ...(bootMs === undefined ? {} : { timeouts: { bootMs } }),
      },
    });
    // The iteration reports the answer, or why there is none.
    run.interrupt = () => q.interrupt().catch(() => {});
    return { outcome: iterated(q), close: () => q.return() };
  },

  pool: (run, options) => {
    const { warm } = run.cell;
    const ahead = { ...options, signal: undefined };
    const pool = createPool({
      size: { min: warm ? 1 : 0, max: 3 },
      ...(warm ? { warm: [ahead] } : {}),
    });
    run.interrupt = () => run.controller.abort();
    const outcome = throughPool(pool, run, options);
    return {
      outcome,
      close: async () => {
        await servesNext(pool, run, options);
        await pool.close();
      },
    };
  },
};

async function throughPool(pool, run, options) {
  const { way } = run.cell;
  if (way === "stream") return streamed(pool.stream(promptOf(run), options));
  if (way === "complete") return answered(await pool.complete(promptOf(run), options));
  const session = await pool.openSession({ ...options, preset: "lean" });
  try {
    // A caller that waits for a session of a pool cancels by its signal.
    return await conversed({ ...run }, session);
  } finally {
    await session.close();
  }
}

/** After any fault, the pool must serve the next call. */
async function servesNext(pool, run, options) {
  const { cliPath, closeGraceMs, logger } = options;
  try {
    const { text } = await pool.complete("again", { cliPath, closeGraceMs, logger });
    if (text !== ANSWER) run.problems.push(`the next call got ${JSON.stringify(text)}`);
  } catch (error) {
    run.problems.push(`the next call came to ${error?.code ?? error}`);
  }
}

async function conversed(run, session) {
  const turn = session.send(promptOf(run));
  run.interrupt = () => session.interrupt().catch(() => {});
  const seen = [];
  const reading = (async () => {
    for await (const { type } of turn) seen.push(type);
  })();
  // It throws the error of the result.
  const [read, result] = await Promise.allSettled([reading, turn.result]);
  if (result.status === "rejected") {
    const reason = read.status === "rejected" ? read.reason : undefined;
    if (reason?.code !== result.reason?.code) run.problems.push("two reasons of one turn");
    throw Object.assign(result.reason, { seen });
  }
  // An interrupted turn ends with a result, whose text is the error.
  return { ...answered({ text: await turn.text() }), seen };
}

async function streamed(call) {
  const seen = [];
  const reading = (async () => {
    for await (const { type } of call) seen.push(type);
  })();
  const [read, completion] = await Promise.allSettled([reading, call.completion]);
  if (read.status !== completion.status) throw new Error("the messages and the completion differ");
  if (completion.status === "rejected") throw Object.assign(completion.reason, { seen });
  return { ...answered(completion.value), seen };
}

async function iterated(q) {
  const seen = [];
  let result;
  try {
    for await (const message of q) {
      seen.push(message.type);
      if (message.type === "result") result = message;
    }
  } catch (error) {
    throw Object.assign(error, { seen });
  }
  if (result === undefined) return { outcome: "end", seen };
  // A process that was ended by a signal does not report the error again by its exit code.
  if (result.is_error) return { outcome: "aborted", seen };
  return { ...answered({ text: result.result }), seen };
}

function answered({ text }) {
  return { outcome: text === ANSWER || text === "" ? "ok" : `another answer: ${text}` };
}

function failureOf(error) {
  if (error instanceof AbortError) return { outcome: "aborted", seen: error.seen };
  if (!isHawserError(error)) return { outcome: `not typed: ${error?.stack ?? error}` };
  const { code, phase, signal, exitCode, partialText, stderrTail, seen, message } = error;
  const outcome = code === "timeout" ? `${code}/${phase}` : code;
  return { outcome, signal, exitCode, partialText, stderrTail, seen, message };
}

function promptOf({ cell }) {
  return cell.step === "clear" && cell.entry !== "pool" ? "/clear" : "chaos";
}

function optionsOf(run, onStep, onUp) {
  const { cell, controller } = run;
  const patienceMs = patienceOf(cell);
  let marked = false;
  return {
    cliPath: cell.cliPath,
    closeGraceMs: graceOf(cell),
    includePartialMessages: true,
    signal: controller.signal,
    timeouts: timeoutsOf(cell),
    logger: loggerOf(run),
    ...(cell.step === "clear" && cell.entry !== "pool" ? { literalPrompt: false } : {}),
    // The library refuses it for an older version.
    ...(cell.step === "version" ? { verbatimPrompts: true } : {}),
    ...(isAsking(cell) ? asked(cell) : {}),
    stderr: (line) => {
      if (line.includes(UP)) onUp();
      if (line.includes(GO)) run.interrupt();
      if (!line.includes(AT_STEP) || marked) return;
      marked = true;
      onStep();
      if (patienceMs !== undefined) {
        run.patience = setTimeout(() => controller.abort(), patienceMs);
      }
    },
  };
}

function loggerOf(run) {
  const warn = (message) => {
    if (message === "noise" || message === "corrupt") run.noise += 1;
  };
  return { debug: () => {}, info: () => {}, warn, error: () => {} };
}

/** The answers of the host: delayed at the step, and at once before and after it. */
function asked(cell) {
  const think = (step, signal) => (cell.step === step ? pause(cell.holdMs, signal) : undefined);
  return {
    settings: { permissions: { deny: [DENIED] } },
    canUseTool: async (_tool, input, { signal }) => {
      await think("permission", signal);
      return { behavior: "allow", updatedInput: input };
    },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async (_input, _id, { signal }) => {
              await think("hook", signal);
              return {};
            },
          ],
        },
      ],
    },
    mcpServers: {
      chaos: createSdkMcpServer({
        name: "chaos",
        tools: [
          tool("wait", "Waits.", {}, async (_input, { signal }) => {
            await think("tool", signal);
            return { content: [{ type: "text", text: "ok" }] };
          }),
        ],
      }),
    },
  };
}

/** @returns {Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
