import type { JSX } from "preact";
import { visible } from "../base/visible.js";
import { ScrollRegion } from "./scroll-region.js";

export interface DiffLine {
  /** `+`, `-`, a space, or `…` for lines in between. */
  readonly sign: string;
  readonly text: string;
}

/** The lines of a diff. The signs are text, so that the colours are not the only difference. */
export function DiffLines({ lines }: { readonly lines: readonly DiffLine[] }): JSX.Element {
  return (
    <ScrollRegion class="code diff" label="Changed lines">
      <pre>
        {lines.map(({ sign, text }, index) => (
          // The lines of a diff never move, so that the place is a key.
          <span key={index} class={`diff-line ${CLASSES[sign] ?? ""}`}>
            <span class="diff-sign">{sign}</span>
            {visible(text)}
            {"\n"}
          </span>
        ))}
      </pre>
    </ScrollRegion>
  );
}

const CLASSES: Readonly<Record<string, string>> = {
  "+": "diff-added",
  "-": "diff-removed",
  "…": "diff-gap",
};
