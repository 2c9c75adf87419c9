import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HawserError } from "hawser";
import { problemResponse } from "../http/problem-response.js";

/** The folder with the built page, beside the code of this package. */
export const PAGE_FOLDER: string = fileURLToPath(new URL("../../dist/page", import.meta.url));

interface PageFile {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/**
 * The files of the page, in memory. They are found by their names in the list of the folder, so that no address
 * can lead out of it.
 */
export class PageFiles {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  constructor(folder: string = PAGE_FOLDER) {
    this.#folder = folder;
  }

  /** `name` is `index.html` or `assets/…`. */
  async answer(request: Request, name: string): Promise<Response> {
    this.#files ??= readFiles(this.#folder);
    let files: ReadonlyMap<string, PageFile>;
    try {
      files = await this.#files;
    } catch (error) {
      // The page may be built later.
      this.#files = undefined;
      throw error;
    }
    const file = files.get(name);
    if (file === undefined) return problemResponse(404, "not_found", "There is no such file.");
    const isZipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const headers = {
      "content-type": file.type,
      // Names of assets hold a hash of their content.
      "cache-control": name === "index.html" ? "no-cache" : "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(isZipped && { "content-encoding": "gzip" }),
    };
    const body = isZipped ? file.zipped : file.plain;
    return new Response(request.method === "HEAD" ? null : body, { headers });
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

const zip = promisify(gzip);

async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const assets = await readdir(join(folder, "assets")).catch(noneIfMissing);
  const names = ["index.html", ...assets.map((name) => `assets/${name}`)];
  const known = names.filter((name) => TYPES[extname(name)] !== undefined);
  const files = known.map(async (name) => {
    const plain = await readFile(join(folder, name));
    const file = { type: TYPES[extname(name)] ?? "", plain, zipped: await zip(plain) };
    return [name, file as PageFile] as const;
  });
  try {
    return new Map(await Promise.all(files));
  } catch (error) {
    throw new HawserError("not_supported", "The files of the page are missing.", {
      hint: "Install @hawser/inspector again. In the repository, run `npm run build`.",
      cause: error,
    });
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
