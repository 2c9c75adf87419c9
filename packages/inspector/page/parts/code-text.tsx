import type { JSX } from "preact";

/** A sentence of hawser, whose names of options and fields stand between backticks. */
export function CodeText({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, index) =>
        // The pieces never move, so that the place is a key. Each second one stood between backticks.
        index % 2 === 1 ? <code key={index}>{part}</code> : part,
      )}
    </>
  );
}
