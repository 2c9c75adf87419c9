import type { Rights } from "../http/tokens.js";

/** A program, a gateway, a fleet or this machine, whose native API the page can use. */
export interface Source {
  readonly info: SourceInfo;
  /** Answers a request whose path begins with `/hawser/v1/`. */
  fetch(request: Request, rights: Rights): Promise<Response>;
}

/** A source as the page sees it. */
export interface SourceInfo {
  /** Stays the same while the program lives. */
  readonly id: string;
  readonly name: string;
  readonly kind: "process" | "gateway" | "fleet" | "machine";
  readonly pid?: number;
  /** In milliseconds since 1970. */
  readonly startedAt?: number;
  /** Whether the source is the inspector's own program. */
  readonly isSelf: boolean;
}

/** The sources of the moment. */
export interface Sources {
  list(): readonly Source[];
  /** Calls the function at each change, until the returned function is called. */
  listen(onChange: () => void): () => void;
}

/** One source that never changes. */
export function singleSource(source: Source): Sources {
  return { list: () => [source], listen: () => () => {} };
}
