/** One line of output, without its LF. */
export type FramedLine = string | OverlongLine | BrokenLine;

/** A line over the limit: only its length is known. */
export interface OverlongLine {
  readonly kind: "overlong";
  readonly bytes: number;
}

/** What stood after the last LF when the output ended. */
export interface BrokenLine {
  readonly kind: "broken";
  readonly text: string;
}
