import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { RowHeights } from "./row-heights.js";

/**
 * A list that draws only the rows in sight. The rows can have any height: it is estimated first, and measured when
 * the row is drawn.
 */
export function VirtualList<Item>({
  items,
  label,
  keyOf,
  estimate,
  children,
  target,
}: {
  readonly items: readonly Item[];
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  readonly estimate: (item: Item) => number;
  readonly children: (item: Item, index: number) => ComponentChildren;
  /** The row to scroll to. A new object scrolls again. */
  readonly target?: { readonly index: number } | undefined;
}): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const heights = useRef<RowHeights>(undefined);
  const shownItems = useRef<readonly Item[]>(undefined);
  const [, draw] = useState(0);
  const redraw = () => draw((before) => before + 1);

  heights.current ??= new RowHeights([]);
  const rows = heights.current;
  if (shownItems.current !== items) {
    shownItems.current = items;
    rows.setRows(items.map(estimate));
  }
  const observer = useRowObserver(box, rows, redraw);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const resized = new ResizeObserver(redraw);
    resized.observe(current);
    return () => resized.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (target === undefined || box.current === null) return;
    scrollTo(box.current, rows, target.index);
    redraw();
  }, [target, rows]);

  const top = box.current?.scrollTop ?? 0;
  const height = box.current?.clientHeight ?? 800;
  const first = Math.max(0, rows.indexAt(top) - SPARE);
  const last = Math.min(items.length, rows.indexAt(top + height) + 1 + SPARE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
    <section class="virtual" ref={box} onScroll={redraw} tabIndex={0} aria-label={label}>
      <div class="virtual-all" style={{ height: `${rows.total}px` }}>
        <div class="virtual-shown" style={{ transform: `translateY(${rows.offsetOf(first)}px)` }}>
          {items.slice(first, last).map((item, offset) => (
            <Row key={keyOf(item)} index={first + offset} observer={observer}>
              {children(item, first + offset)}
            </Row>
          ))}
        </div>
      </div>
    </section>
  );
}

/** How many rows are drawn above and below those in sight. */
const SPARE = 6;

function Row({
  index,
  observer,
  children,
}: {
  readonly index: number;
  readonly observer: ResizeObserver;
  readonly children: ComponentChildren;
}): JSX.Element {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = row;
    if (current === null) return;
    observer.observe(current);
    return () => observer.unobserve(current);
  }, [observer]);
  return (
    <div class="virtual-row" ref={row} data-index={index}>
      {children}
    </div>
  );
}

/** Measures rows. If a row above the place in sight changes its height, the place in sight stays where it is. */
function useRowObserver(
  box: { readonly current: HTMLElement | null },
  rows: RowHeights,
  redraw: () => void,
): ResizeObserver {
  const [observer] = useState(
    () =>
      new ResizeObserver((changes) => {
        let above = 0;
        let total = 0;
        const top = box.current?.scrollTop ?? 0;
        for (const { target, borderBoxSize } of changes) {
          if (!target.isConnected) continue;
          const index = Number((target as HTMLElement).dataset["index"]);
          const isAbove = rows.offsetOf(index) < top;
          const change = rows.measure(index, borderBoxSize[0]?.blockSize ?? 0);
          total += Math.abs(change);
          if (isAbove) above += change;
        }
        if (total === 0) return;
        if (above !== 0 && box.current !== null) box.current.scrollTop += above;
        redraw();
      }),
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  return observer;
}

function scrollTo(box: HTMLElement, rows: RowHeights, index: number): void {
  // Otherwise the row could stand below the end, because the height of the content is set by the next drawing.
  const content = box.firstElementChild;
  if (content instanceof HTMLElement) content.style.height = `${rows.total}px`;
  box.scrollTop = Math.max(0, rows.offsetOf(index) - box.clientHeight / 3);
}
