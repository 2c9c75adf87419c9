/** The only format so far. */
export const CASSETTE_FORMAT = 1;

/** The first line of a cassette. */
export interface CassetteHeader {
  readonly cassette: number;
  /** What the CLI's `--version` printed. */
  readonly cli: string;
  /** The program that recorded it. */
  readonly by: string;
}

/** A line after the first. `take` is the number of the process, in the order of starts, from 1. */
export type CassetteEntry = {
  readonly take: number;
  /** Milliseconds since the start of the take. */
  readonly ms: number;
} & (
  | { readonly kind: "start"; readonly argv: readonly string[]; readonly env: readonly string[] }
  | ({ readonly kind: "in" | "out" | "err" } & CassetteLine)
  | { readonly kind: "eof" }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "exit"; readonly code: number | null; readonly signal: string | null }
);

/** Exactly one of `json`, `text` and `latin1`. `newline` is false if the stream ended without one. */
export interface CassetteLine {
  readonly json?: unknown;
  readonly text?: string;
  readonly latin1?: string;
  readonly newline?: false;
}

/** The entries of one process, in order, each with its line number in the file. */
export interface Take {
  readonly take: number;
  readonly line: number;
  readonly argv: readonly string[];
  readonly entries: readonly (CassetteEntry & { readonly line: number })[];
}

export interface Cassette {
  readonly header: CassetteHeader;
  readonly takes: readonly Take[];
}
