import { mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { replaceFile } from "../../transcripts/index.js";

/** What a user answered about folders, kept in one file of this user. */
export class TrustedFolders {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The answer for the folder, or for the nearest folder above it that has one. */
  async answerFor(folder: string): Promise<boolean | undefined> {
    const answers = await this.#read();
    for (let at = folder; ; at = dirname(at)) {
      if (Object.hasOwn(answers, at)) return answers[at];
      if (dirname(at) === at) return undefined;
    }
  }

  /** Keeps an answer. Rejects if the file cannot be written, or holds something else than answers. */
  async remember(folder: string, isTrusted: boolean): Promise<void> {
    const folders = { ...(await this.#read()), [folder]: isTrusted };
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await replaceFile(this.#path, `${JSON.stringify({ folders }, null, 2)}\n`);
  }

  async #read(): Promise<Readonly<Record<string, boolean>>> {
    const text = await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return '{"folders":{}}';
      throw error;
    });
    const { folders } = JSON.parse(text) as { folders?: unknown };
    if (typeof folders === "object" && folders !== null) {
      const answers = Object.entries(folders);
      if (answers.every(([, answer]) => typeof answer === "boolean")) return { ...folders };
    }
    throw new SyntaxError("it does not hold answers about folders");
  }
}

/** Where the answers are kept; undefined where there is no home for it. */
export function trustFile(env: NodeJS.ProcessEnv, home: string | undefined): string | undefined {
  const windows = process.platform === "win32" ? env["APPDATA"] : undefined;
  const base = windows || env["XDG_CONFIG_HOME"] || (home && join(home, ".config"));
  return base && isAbsolute(base) ? join(base, "hawser", "trust.json") : undefined;
}
