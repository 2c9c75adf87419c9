/** The only format that there is so far. */
export const CASSETTE_FORMAT = 1;

/** The first line of a cassette. */
export interface CassetteHeader {
  readonly cassette: number;
  /** What the CLI's `--version` printed. */
  readonly cli: string;
  /** Who recorded it. */
  readonly by: string;
}

/** Every other line. `take` counts the processes that the host has started, from 1. */
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

/** One of `json`, `text` and `latin1`. `newline` is false where the stream ended without one. */
export interface CassetteLine {
  readonly json?: unknown;
  readonly text?: string;
  readonly latin1?: string;
  readonly newline?: false;
}

/** What one process did, in order, each entry with the number of its line in the file. */
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
