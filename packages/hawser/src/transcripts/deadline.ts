import { HawserError, type Phase } from "../base/index.js";

/** What a store's method gives, or `timeout` when it takes too long. */
export async function within<Value>(
  work: Promise<Value>,
  limitMs: number,
  what: string,
  phase: Phase = "control",
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `${what} did not settle within ${limitMs} ms.`;
      reject(new HawserError("timeout", message, { phase, hint: "Look at the session store." }));
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
