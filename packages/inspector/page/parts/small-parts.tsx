import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { SourceState } from "../state/source-state.js";
import { usePage } from "../state/use-page.js";

type Tone = "plain" | "good" | "bad" | "warn" | "accent";

/** A short word in a coloured frame. */
export function Badge({
  tone = "plain",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** What a view shows if it has nothing to show. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/** A failure of a request of this page. */
export function Problem({ text }: { readonly text: string | undefined }): JSX.Element | null {
  return text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** The name of a source, if the page shows more than one. */
export function SourceTag({ source }: { readonly source: SourceState }): JSX.Element | null {
  if (usePage().sources.length < 2) return null;
  return <span class="source-tag">{source.info.name}</span>;
}

/** Gives the focus to a field as soon as it appears, so that no key that a person types at once is lost. */
export function useFocus<T extends HTMLElement>(): { readonly current: T | null } {
  const field = useRef<T>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return field;
}

/** A key of the keyboard, in a button. A screen reader does not read it as a part of the button's name. */
export function Key({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  );
}
