/** The id of the element of a question's card. */
export function cardId(id: string): string {
  return `question-${id}`;
}

/** Gives the focus to a card, whose title a screen reader then reads. */
export function focusCard(id: string): void {
  const card = document.getElementById(cardId(id));
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest" });
}

/** The first element of this kind inside of a card. */
export function withinCard(id: string, selector: string): HTMLElement | null | undefined {
  return document.getElementById(cardId(id))?.querySelector<HTMLElement>(selector);
}
