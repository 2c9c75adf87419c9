import { readFile } from "node:fs/promises";
import { HawserError, isObject } from "../../base/index.js";
import {
  CASSETTE_FORMAT,
  type Cassette,
  type CassetteEntry,
  type CassetteHeader,
  type Take,
} from "./cassette-format.js";

/** Reads a whole cassette. Throws `invalid_options` if any part is invalid. */
export async function readCassette(file: string): Promise<Cassette> {
  const text = await contents(file);
  const [first = "", ...rest] = text.split("\n");
  const header = readHeader(file, first);
  if (rest.pop() !== "") throw broken(file, rest.length + 2, "the file is cut off");
  const takes = new Map<number, Take & { readonly entries: Take["entries"][number][] }>();
  for (const [index, json] of rest.entries()) {
    const line = index + 2;
    const entry = readEntry(file, line, json);
    const take = takes.get(entry.take);
    const begins = entry.kind === "start";
    if (begins === (take !== undefined)) {
      throw broken(file, line, `take ${entry.take} ${begins ? "starts twice" : "has no start"}`);
    }
    if (take?.entries.at(-1)?.kind === "exit") {
      throw broken(file, line, `take ${entry.take} continues after its end`);
    }
    if (begins) takes.set(entry.take, { take: entry.take, line, argv: entry.argv, entries: [] });
    else take?.entries.push({ ...entry, line });
  }
  if (takes.size === 0) {
    throw unusable(
      `Nothing was recorded in ${file}.`,
      "Start a process from the path of record() first.",
    );
  }
  return { header, takes: [...takes.values()].sort((a, b) => a.take - b.take) };
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw unusable(`The cassette ${file} cannot be read: ${message}`, "Record it with record().");
  }
}

function readHeader(file: string, text: string): CassetteHeader {
  const header = parse(text);
  if (!isObject(header) || typeof header["cassette"] !== "number") {
    throw unusable(
      `${file} is not a cassette.`,
      "Its first line must be the header that record() writes.",
    );
  }
  if (header["cassette"] !== CASSETTE_FORMAT) {
    throw unusable(
      `${file} has format ${header["cassette"]}; this version of hawser reads ${CASSETTE_FORMAT}.`,
      "Record it again, or install the version of hawser that made it.",
    );
  }
  const { cli, by } = header;
  if (typeof cli !== "string") throw broken(file, 1, "the CLI's version is missing");
  return { cassette: CASSETTE_FORMAT, cli, by: String(by) };
}

function readEntry(file: string, line: number, text: string): CassetteEntry {
  const entry = parse(text);
  if (!isObject(entry)) throw broken(file, line, "it is not a JSON object");
  const { take, ms, kind } = entry;
  if (!Number.isSafeInteger(take) || Number(take) < 1) throw broken(file, line, "it has no take");
  if (typeof ms !== "number") throw broken(file, line, "it has no time");
  const isSound = typeof kind === "string" && Object.hasOwn(SOUND, kind) && SOUND[kind]?.(entry);
  if (isSound !== true)
    throw broken(file, line, `it is not a valid entry of kind ${JSON.stringify(kind)}`);
  return entry as unknown as CassetteEntry;
}

type Fields = Readonly<Record<string, unknown>>;

const SOUND: Readonly<Record<CassetteEntry["kind"] | (string & {}), (entry: Fields) => boolean>> = {
  start: ({ argv, env }) => isTexts(argv) && isTexts(env),
  in: isLine,
  out: isLine,
  err: isLine,
  eof: () => true,
  signal: ({ signal }) => typeof signal === "string",
  exit: ({ code, signal }) =>
    (Number.isSafeInteger(code) && signal === null) || (code === null && isText(signal)),
};

function isLine(entry: Fields): boolean {
  const { text, latin1, newline } = entry;
  if (newline !== undefined && newline !== false) return false;
  const given = ["json", "text", "latin1"].filter((name) => Object.hasOwn(entry, name));
  return given.length === 1 && [text, latin1].every((each) => each === undefined || isText(each));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller reports the line.
  }
}

function broken(file: string, line: number, why: string): HawserError {
  return unusable(
    `The cassette ${file} is broken at line ${line}: ${why}.`,
    "Record it again; or, if only its last line is broken, remove that line.",
  );
}

function unusable(message: string, hint: string): HawserError {
  return new HawserError("invalid_options", message, { hint });
}
