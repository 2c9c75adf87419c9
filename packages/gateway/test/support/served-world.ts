import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isolatedEnv,
  type RecordedRequest,
  type ReplyFunction,
  type ReplyInput,
  SimulatedModel,
} from "hawser/testing";
import { onTestFinished } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { type RunningServer, serve } from "../../src/serve/serve.js";

/** What a test needs of a server that listens. */
export interface ServedWorld {
  readonly server: RunningServer;
  readonly url: string;
  /** What the model was asked. */
  readonly calls: readonly RecordedRequest[];
  /** The warnings of the server. */
  readonly warnings: readonly string[];
  /** What the model says next. Without more replies, it says "Done.". */
  script(...replies: readonly (ReplyInput | ReplyFunction)[]): void;
  /** Resolves with the next request that the model gets. */
  nextCall(): Promise<RecordedRequest>;
  /** Sends JSON, or asks with GET if there is no body. */
  ask(path: string, body?: unknown, key?: string): Promise<Response>;
}

/** `serve()` with this configuration, on the real CLI and a simulated model, until the test has finished. */
export async function servedWorld(config: object): Promise<ServedWorld> {
  const replies: (ReplyInput | ReplyFunction)[] = [];
  const model = await SimulatedModel.start({
    replies: (call) => {
      const next = replies.shift() ?? "Done.";
      return typeof next === "function" ? next(call) : next;
    },
  });
  const place = await isolatedEnv({ baseUrl: model.url });
  const cwd = mkdtempSync(join(tmpdir(), "hawser-served-"));
  const file = join(cwd, "hawser.config.json");
  writeFileSync(file, JSON.stringify({ stateDir: "state", ...config }));
  const warnings: string[] = [];
  const cliPath = nativeCli("@anthropic-ai/claude-code");
  const server = await serve({
    cwd,
    port: 0,
    options: { cliPath, cwd: place.cwd, env: place.env, inheritEnv: false },
    isSimulated: true,
    writeLog: () => {},
    warn: (text) => warnings.push(text),
  });
  onTestFinished(async () => {
    await server.close();
    await place.dispose();
    await model.close();
    rmSync(cwd, { recursive: true });
  });
  const { url } = server.report;
  return {
    server,
    url,
    warnings,
    get calls() {
      return model.calls;
    },
    script: (...given) => void replies.splice(0, replies.length, ...given),
    nextCall: () => {
      const before = model.requests.length;
      return model.waitFor(({ kind, number }) => kind === "call" && number > before);
    },
    ask: (path, body, key = "none") =>
      fetch(`${url}${path}`, {
        headers: { "content-type": "application/json", "x-api-key": key },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      }),
  };
}
