/** Names that pg-boss takes for a queue, and that people can read in a listing. */
const QUEUE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export const QUEUE_NAME_HINT =
  "Use letters, digits, _, . and -, at most 64 of them, with a letter or a digit first.";

/**
 * Whether a text can be the name of a queue. It is asked before a run is stored: the run may get its job much later, in
 * the transaction that settles another one, which must not fail because of it.
 */
export function isQueueName(name: string): boolean {
  return QUEUE_NAME.test(name);
}
