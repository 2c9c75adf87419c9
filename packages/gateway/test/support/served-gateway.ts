import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type IsolatedEnv, isolatedEnv } from "hawser/testing";
import { nativeCli } from "../../../../tools/native-cli.js";
import { type Seen, treeOf } from "../../../hawser/test/support/proc.js";

/** The command as it is built. It loads the built gateway. */
const HAWSER = fileURLToPath(new URL("../../../hawser/dist/bin/main.js", import.meta.url));

const CONFIG = { listen: { port: 0 }, pool: { size: { min: 0, max: 1 } } };

/** `hawser serve` in a process of its own, with a home and a folder for temporary files of its own. */
export class ServedGateway {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #place: IsolatedEnv;

  /** Starts the server on the real CLI. The base URL is that of the simulated model. */
  static async start(baseUrl: string): Promise<ServedGateway> {
    const place = await isolatedEnv({ baseUrl });
    const config = join(place.home, "hawser.config.json");
    writeFileSync(config, JSON.stringify(CONFIG));
    const cli = nativeCli("@anthropic-ai/claude-code");
    const args = [HAWSER, "serve", "--json", "--config", config, "--cli", cli];
    const { cwd, env } = place;
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    return new ServedGateway(child, place, await portOf(child));
  }

  private constructor(child: ChildProcess, place: IsolatedEnv, port: number) {
    this.#child = child;
    this.#place = place;
    this.port = port;
  }

  /** The server and all processes below it. */
  tree(): Seen[] {
    return treeOf(this.#child.pid ?? 0);
  }

  /** The names of the files in its folder for temporary files. */
  temporaryFiles(): string[] {
    return readdirSync(this.#place.env["TMPDIR"] ?? "");
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  /** Kills the server if it still runs, and removes its folders. */
  async dispose(): Promise<void> {
    await this.kill();
    await this.#place.dispose();
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  let said = "";
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (piece: string) => {
        said += piece;
        const found = /"url":"http:[^"]+:(\d+)"/.exec(said)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    }
    child.once("exit", (code) => reject(new Error(`hawser serve ended with ${code}: ${said}`)));
  });
}
