import { type ChildProcess, spawn } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  HarnessCapabilityUnsupportedError,
  type HarnessV1NetworkSandboxSession,
} from "@ai-sdk/harness";

type Files = ReturnType<HarnessV1NetworkSandboxSession["restricted"]>;
type ProcessOptions = Parameters<Files["spawn"]>[0];
type SandboxProcess = Awaited<ReturnType<Files["spawn"]>>;
type ByteStream = SandboxProcess["stdout"];

export interface LocalWorkspaceFacts {
  readonly id: string;
  /** Relative paths and commands start here. */
  readonly folder: string;
  readonly defaultWorkingDirectory: string;
}

/**
 * The interface of a sandbox on a folder of this machine. It isolates nothing. The properties are functions and
 * not methods, because a `HarnessAgent` may take them off the object.
 */
export class LocalWorkspaceSession implements HarnessV1NetworkSandboxSession {
  readonly id: string;
  readonly defaultWorkingDirectory: string;
  readonly description: string;
  readonly ports: readonly number[] = [];
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();
  /** Called when the agent stops the workspace, before the processes of the workspace are killed. */
  readonly #onStop = new Set<() => Promise<void>>();

  constructor({ id, folder, defaultWorkingDirectory }: LocalWorkspaceFacts) {
    this.id = id;
    this.defaultWorkingDirectory = defaultWorkingDirectory;
    this.description = `The folder ${folder} of this machine. It is not isolated.`;
    this.#folder = folder;
  }

  /** Calls the function when the agent stops or destroys the workspace. Returns a function that takes it back. */
  onStop(listener: () => Promise<void>): () => void {
    this.#onStop.add(listener);
    return () => this.#onStop.delete(listener);
  }

  readonly readFile: Files["readFile"] = async ({ path, abortSignal }) => {
    const file = await this.#resolved(path, async (place) => open(place));
    if (file === null) return null;
    const stream = createReadStream("", { fd: file, ...(abortSignal && { signal: abortSignal }) });
    return Readable.toWeb(stream) as ByteStream;
  };

  readonly readBinaryFile: Files["readBinaryFile"] = ({ path, abortSignal }) =>
    this.#resolved(
      path,
      async (place) => new Uint8Array(await readFile(place, signalOf(abortSignal))),
    );

  readonly readTextFile: Files["readTextFile"] = async (options) => {
    const { encoding = "utf-8", startLine, endLine } = options;
    const bytes = await this.readBinaryFile(options);
    if (bytes === null) return null;
    const content = new TextDecoder(encoding).decode(bytes);
    if (startLine === undefined && endLine === undefined) return content;
    return content
      .split("\n")
      .slice((startLine ?? 1) - 1, endLine)
      .join("\n");
  };

  readonly writeFile: Files["writeFile"] = async ({ path, content, abortSignal }) => {
    const place = await this.#writable(path);
    const file = createWriteStream(place, signalOf(abortSignal));
    await content.pipeTo(Writable.toWeb(file), signalOf(abortSignal));
  };

  readonly writeBinaryFile: Files["writeBinaryFile"] = async ({ path, content, abortSignal }) => {
    await writeFile(await this.#writable(path), content, signalOf(abortSignal));
  };

  readonly writeTextFile: Files["writeTextFile"] = async (options) => {
    const { path, content, encoding = "utf-8", abortSignal } = options;
    const bytes = Buffer.from(content, encoding as BufferEncoding);
    await writeFile(await this.#writable(path), bytes, signalOf(abortSignal));
  };

  readonly spawn: Files["spawn"] = async (options) => this.#spawn(options);

  readonly run: Files["run"] = async (options) => {
    const { stdout, stderr, wait } = this.#spawn(options);
    const [out, err, { exitCode }] = await Promise.all([textIn(stdout), textIn(stderr), wait()]);
    return { exitCode, stdout: out, stderr: err };
  };

  readonly getPortEndpoint: HarnessV1NetworkSandboxSession["getPortEndpoint"] = async () => {
    throw new HarnessCapabilityUnsupportedError({
      message: "A local workspace exposes no ports: connect to the port of this machine itself.",
    });
  };

  readonly getPortUrl: HarnessV1NetworkSandboxSession["getPortUrl"] = async (options) =>
    (await this.getPortEndpoint(options)).url;

  readonly stop = async (): Promise<void> => {
    const listeners = [...this.#onStop];
    this.#onStop.clear();
    await Promise.allSettled(listeners.map((listener) => listener()));
    for (const child of this.#children) killGroup(child);
  };

  readonly destroy = (): Promise<void> => this.stop();

  readonly restricted = (): Files => ({
    description: this.description,
    readFile: this.readFile,
    readBinaryFile: this.readBinaryFile,
    readTextFile: this.readTextFile,
    writeFile: this.writeFile,
    writeBinaryFile: this.writeBinaryFile,
    writeTextFile: this.writeTextFile,
    spawn: this.spawn,
    run: this.run,
  });

  #spawn({ command, workingDirectory, env, abortSignal }: ProcessOptions): SandboxProcess {
    abortSignal?.throwIfAborted();
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: resolve(this.#folder, workingDirectory ?? "."),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that the children of the shell can be killed with it.
      detached: true,
    });
    this.#children.add(child);
    const exited = new Promise<number>((settle, reject) => {
      child.once("error", reject);
      child.once("close", (code) => settle(code ?? 1));
    });
    const onAbort = () => killGroup(child);
    abortSignal?.addEventListener("abort", onAbort, { once: true });
    const forget = () => {
      this.#children.delete(child);
      abortSignal?.removeEventListener("abort", onAbort);
    };
    exited.then(forget, forget);
    return {
      ...(child.pid === undefined ? {} : { pid: child.pid }),
      stdout: Readable.toWeb(child.stdout) as ByteStream,
      stderr: Readable.toWeb(child.stderr) as ByteStream,
      async wait() {
        const exitCode = await exited;
        abortSignal?.throwIfAborted();
        return { exitCode };
      },
      async kill() {
        killGroup(child);
      },
    };
  }

  async #resolved<T>(path: string, read: (place: string) => Promise<T>): Promise<T | null> {
    try {
      return await read(resolve(this.#folder, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  async #writable(path: string): Promise<string> {
    const place = resolve(this.#folder, path);
    await mkdir(dirname(place), { recursive: true });
    return place;
  }
}

function textIn(stream: ByteStream): Promise<string> {
  return text(Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]));
}

function signalOf(abortSignal: AbortSignal | undefined): { signal?: AbortSignal } {
  return abortSignal === undefined ? {} : { signal: abortSignal };
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has ended in the meantime.
  }
}
