/**
 * Rehearses a call once in a program, in the next step of the event loop. The rehearsal is loaded on demand, so
 * that an import of the package does not wait for it. A failure has no consequence.
 */
export function rehearseOnce(): void {
  if (isRehearsed) return;
  isRehearsed = true;
  setImmediate(() => void rehearseNow().catch(() => {}));
}

let isRehearsed = false;

async function rehearseNow(): Promise<void> {
  const { rehearse } = await import("./rehearse.js");
  await rehearse();
}
