import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { LANES, type Moment } from "./recording.js";

/** A picture of the recording: a row for each lane with its name, and a mark for each moment. */
export function TimeLine({
  moments,
  end,
  at,
}: {
  readonly moments: readonly Moment[];
  readonly end: number;
  readonly at: number;
}): JSX.Element {
  const marks = useMemo(() => LANES.map((lane) => marksOf(moments, lane, end)), [moments, end]);
  return (
    <div class="lanes">
      <div class="lane-names" aria-hidden="true">
        {LANES.map((lane) => (
          <span key={lane} class={`lane-${lane}`}>
            {lane}
          </span>
        ))}
      </div>
      <svg class="time-line" viewBox="0 0 1000 48" preserveAspectRatio="none" aria-hidden="true">
        {LANES.map((lane, row) => (
          <path
            key={lane}
            class={`lane lane-${lane}`}
            d={marks[row]}
            transform={`translate(0 ${row * 12})`}
          />
        ))}
        <rect
          class="time-line-now"
          x={Math.min(998, Math.max(0, (at / end) * 1000 - 1))}
          y="0"
          width="2"
          height="48"
        />
      </svg>
    </div>
  );
}

/** Moments that fall on the same place are one mark, so that the picture of a long recording stays small. */
function marksOf(moments: readonly Moment[], lane: string, end: number): string {
  const places = new Set<number>();
  for (const moment of moments) {
    if (moment.lane === lane) places.add(2 + Math.round((moment.shownMs / end) * 996));
  }
  return [...places].map((place) => `M${place} 2v8`).join("");
}
