import type { ComponentChildren, JSX } from "preact";

/** A part that can scroll. It takes the focus, so that it scrolls by keyboard too. */
export function ScrollRegion({
  label,
  class: name,
  children,
}: {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise no key could scroll it.
    <section class={name} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
