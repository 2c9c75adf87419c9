import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Keyboard } from "../../src/bin/terminal/input/keyboard.js";

/** Puts a terminal in the place of stdin that emits an error when it is given back. */
function lostTerminal(): PassThrough {
  const stdin = Object.assign(new PassThrough(), {
    setRawMode(isRaw: boolean) {
      if (!isRaw) stdin.emit("error", new Error("setRawMode EIO"));
      return stdin;
    },
  });
  const real = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
  Object.defineProperty(process, "stdin", { ...real, get: () => stdin });
  onTestFinished(() => void Object.defineProperty(process, "stdin", real));
  vi.stubEnv("TERM", "dumb");
  onTestFinished(() => void vi.unstubAllEnvs());
  return stdin;
}

describe("Keyboard", () => {
  it("close() does not throw when the terminal is gone, and leaves no listener", () => {
    const stdin = lostTerminal();
    const keyboard = new Keyboard();
    const before = stdin.listenerCount("error");
    keyboard.open({ onInput: () => {}, onEnd: () => {} });
    keyboard.close();
    expect(stdin.listenerCount("error")).toBe(before);
  });
});
