import { structuredPatch } from "diff";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type DiffLine, DiffLines } from "./diff-lines.js";

/** The difference of two texts, with three lines around each change. */
export function TextDiff({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const lines = useMemo(() => textDiff(before, after), [before, after]);
  return <DiffLines lines={lines} />;
}

function textDiff(before: string, after: string): readonly DiffLine[] {
  // Without a limit, two large texts without a common line would keep the page busy for seconds.
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, timeout: 200 });
  if (patch === undefined) return [...signed("-", before), ...signed("+", after)];
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index === 0 ? [] : [{ sign: "…", text: "" }]),
    ...lines
      .filter((line) => !line.startsWith("\\"))
      .map((line) => ({ sign: line.slice(0, 1), text: line.slice(1) })),
  ]);
}

function signed(sign: string, text: string): DiffLine[] {
  return text.split("\n").map((line) => ({ sign, text: line }));
}
