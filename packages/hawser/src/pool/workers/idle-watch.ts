import { type Logger, SILENT } from "../../base/index.js";
import type { CliProcess } from "../../process/index.js";
import type { DiscardReason } from "./discard-reason.js";

/** The watch over a process that has nothing to do: it must neither speak nor end. */
export interface IdleWatch {
  /** Ends the watch; whether the silence was broken. */
  detach(): boolean;
}

export function watchIdle(
  process: CliProcess,
  log: Logger,
  onBroken: (why: DiscardReason) => void,
): IdleWatch {
  let broken = false;
  const breaks = (why: DiscardReason) => {
    if (broken) return;
    broken = true;
    onBroken(why);
  };
  const onData = () => breaks("unexpected_output");
  const onClose = () => breaks("exited");
  // What it says now is nobody's.
  process.workFor({ log, onStderr: () => {} });
  process.stdout.on("data", onData);
  process.stdout.once("close", onClose);
  process.stdout.resume();
  const forget = process.onExit(onClose);
  return {
    detach: () => {
      process.stdout.off("data", onData);
      process.stdout.off("close", onClose);
      forget();
      process.workFor({ log: SILENT, onStderr: () => {} });
      return broken;
    },
  };
}
