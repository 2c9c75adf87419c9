import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count, plural } from "../base/format.js";
import { visible } from "../base/visible.js";
import { ScrollRegion } from "./scroll-region.js";

/**
 * A text with a fixed width. Characters that would hide or turn a part of it are shown by their numbers. A long one is
 * cut until a person wants to see more, unless it must be read as a whole.
 */
export function CodeBlock({
  text,
  label,
  lines = 30,
  isWhole = false,
}: {
  readonly text: string;
  /** What the text is, for a screen reader. */
  readonly label: string;
  readonly lines?: number;
  /** Nothing is cut, because a person is going to allow it. A long text is said to be long. */
  readonly isWhole?: boolean;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const all = text.split("\n");
  const isLong = all.length > lines + 5 || text.length > LONGEST;
  const isCut = isLong && !isWhole && !isOpen;
  const shown = isCut ? all.slice(0, lines).join("\n").slice(0, LONGEST) : text;
  return (
    <>
      <ScrollRegion class="code" label={label}>
        <pre>{visible(shown)}</pre>
      </ScrollRegion>
      {isLong && isWhole && <LongText lines={all.length} characters={text.length} />}
      {isLong && !isWhole && (
        <button type="button" class="link" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${count(all.length)} lines`}
        </button>
      )}
    </>
  );
}

const LONGEST = 8000;

/** Says that a person has to scroll to see all of a text. */
export function LongText({
  lines,
  characters,
}: {
  readonly lines: number;
  readonly characters: number;
}): JSX.Element {
  return (
    <p class="warn">
      {plural(lines, "line")}, {plural(characters, "character")}. Scroll to read all of it.
    </p>
  );
}
