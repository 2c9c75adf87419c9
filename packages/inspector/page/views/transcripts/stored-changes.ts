import { type Signal, signal } from "@preact/signals";

/** Raised when this page has copied or deleted a transcript, so that the list is read again. */
export const storedChanges: Signal<number> = signal(0);
