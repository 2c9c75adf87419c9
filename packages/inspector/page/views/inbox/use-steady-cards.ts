import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * A list of cards that takes no clicks for a moment after a card has come, gone or changed its height. Otherwise a
 * click that was meant for one question, or the second half of a double click, would hit the button of another
 * question that has slid into its place.
 */
export function useSteadyCards(ids: readonly string[]): {
  readonly current: HTMLDivElement | null;
} {
  const cards = useRef<HTMLDivElement>(null);
  const hold = useRef<() => void>(() => {});
  useLayoutEffect(() => {
    const { current } = cards;
    if (current === null) return;
    let timer: number | undefined;
    hold.current = () => {
      current.dataset["moving"] = "";
      clearTimeout(timer);
      timer = setTimeout(() => delete current.dataset["moving"], STEADY_MS);
    };
    const observer = new ResizeObserver(() => hold.current());
    observer.observe(current);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      hold.current = () => {};
    };
  }, []);
  const key = ids.join(" ");
  useLayoutEffect(() => hold.current(), [key]);
  return cards;
}

const STEADY_MS = 400;
