import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { count, duration } from "../../base/format.js";
import { shownJson } from "../../base/json.js";
import { CodeBlock } from "../../parts/code-block.js";
import { Badge } from "../../parts/small-parts.js";
import { VirtualList } from "../../parts/virtual-list.js";
import type { Moment, Recording } from "./recording.js";
import { TimeLine } from "./time-line.js";

/** Plays a recording. Long pauses are shortened to three seconds. */
export function ReplayPlayer({ recording }: { readonly recording: Recording }): JSX.Element {
  const { moments, kind, name, skipped } = recording;
  const end = Math.max(1, moments.at(-1)?.shownMs ?? 1);
  const [at, setAt] = useState(end);
  const [speed, setSpeed] = useState(1);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      setAt((before) => {
        const next = Math.min(end, before + TICK_MS * speed);
        if (next === end) setPlaying(false);
        return next;
      });
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, speed, end]);

  const shown = useMemo(() => countUntil(moments, at), [moments, at]);
  const visible = useMemo(() => moments.slice(0, shown), [moments, shown]);
  const target = useMemo(() => ({ index: Math.max(0, shown - 1) }), [shown]);
  const step = (by: number) => {
    setPlaying(false);
    const index = Math.min(moments.length - 1, Math.max(0, shown - 1 + by));
    setAt(moments[index]?.shownMs ?? 0);
  };
  const play = () => {
    if (at >= end) setAt(0);
    setPlaying(!isPlaying);
  };
  const now = visible.at(-1);
  return (
    <section class="player" aria-label={`Recording ${name}`}>
      <p class="facts">
        <Badge tone="accent">{kind}</Badge>
        <span class="path">{name}</span>
        <span>
          {count(shown)} of {count(moments.length)} moments
        </span>
        {skipped > 0 && <span>{count(skipped)} lines without a time</span>}
      </p>
      <TimeLine moments={moments} end={end} at={at} />
      <label>
        <span class="hidden">Place on the time line</span>
        <input
          type="range"
          class="scrubber"
          min={0}
          max={end}
          step="any"
          value={at}
          aria-valuetext={duration(now?.ms ?? 0)}
          onInput={(event) => setAt(Number(event.currentTarget.value))}
        />
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={play}>
          {isPlaying ? "Pause" : "Play"}
        </button>
        <button type="button" onClick={() => step(-1)}>
          Back
        </button>
        <button type="button" onClick={() => step(1)}>
          Forward
        </button>
        <label class="inline">
          Speed
          <select
            value={String(speed)}
            onChange={(event) => setSpeed(Number(event.currentTarget.value))}
          >
            {[1, 2, 5, 20].map((each) => (
              <option key={each} value={String(each)}>
                {each}×
              </option>
            ))}
          </select>
        </label>
        <output class="time">{duration(now?.ms ?? 0)}</output>
      </div>
      <VirtualList
        items={visible}
        label="Moments"
        keyOf={({ key }) => key}
        estimate={() => 38}
        target={target}
      >
        {(moment) => <MomentRow moment={moment} />}
      </VirtualList>
    </section>
  );
}

const TICK_MS = 50;

function MomentRow({ moment }: { readonly moment: Moment }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { ms, lane, title, text, value } = moment;
  return (
    <div class="moment">
      <button
        type="button"
        class="tool-row"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="time">{duration(ms)}</span>
        <span class={`lane-name lane-${lane}`}>{lane}</span>
        <strong>{title}</strong>
        <span class="tool-about">{text}</span>
      </button>
      {isOpen && <CodeBlock label="What was recorded" text={shownJson(value)} />}
    </div>
  );
}

/** How many moments are at this place of the time line or before it. */
function countUntil(moments: readonly Moment[], at: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.shownMs ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
