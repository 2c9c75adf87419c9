import DOMPurify from "dompurify";
import { Marked } from "marked";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Markdown of the model. HTML in it is shown as text, and what is left is made safe: no images, because an image
 * tells its server that it was seen, no scripts, no styles, no forms. A link opens in a new tab.
 */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.replaceChildren(safeMarkdown(text));
  }, [text]);
  return <div class="markdown" ref={place} />;
}

/** The safe nodes of a text in Markdown. */
export function safeMarkdown(text: string): DocumentFragment {
  const html = htmlOf(text);
  if (html === undefined) return plain(text);
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll("a")) {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener noreferrer nofollow");
  }
  for (const block of fragment.querySelectorAll("pre, table")) block.setAttribute("tabindex", "0");
  return fragment;
}

/** Undefined for a text that would keep the page busy: marked takes quadratic time for some, and fails on others. */
function htmlOf(text: string): string | undefined {
  if (text.length > LONGEST || COSTLY.test(text)) return undefined;
  if (countOf(MARKS, text) > MOST_MARKS || countOf(LINES, text) > MOST_LINES) return undefined;
  try {
    return marked.parse(text, { async: false });
  } catch {
    return undefined;
  }
}

/** A text of this length is no answer to read. */
const LONGEST = 20_000;

/** Long runs of blanks, of marks, and of anything without a blank; deep quotes and lists. */
const COSTLY = new RegExp(
  [
    "[ \\t]{300}",
    "\\S{1500}",
    "[*_~]{100}",
    "(?:[>+-] ?){50}",
    "(?:\\d+[.)] ?){30}",
    "^[ \\t]{40,}(?:[-+*]|\\d+[.)])[ \\t]",
  ].join("|"),
  "m",
);

const MARKS = /[*_~]/g;
const MOST_MARKS = 1_500;
const LINES = /\n/g;
const MOST_LINES = 1_000;

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

const TAGS = [
  ..."a p br hr em strong del code pre blockquote ul ol li".split(" "),
  ..."h1 h2 h3 h4 h5 h6 table thead tbody tr th td".split(" "),
];

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text, href }) => escapeHtml(`[image: ${text || href}]`),
    // The page has its own headings, so that those of the model begin below them.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function plain(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const block = document.createElement("pre");
  block.textContent = text;
  fragment.append(block);
  return fragment;
}
