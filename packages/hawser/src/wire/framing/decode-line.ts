import { HawserError, hostMask, type Mask } from "../../base/index.js";
import type { Message } from "../message/message.js";
import { type FramedLine, textStart } from "./line-framer.js";

/** The result of decoding one line. */
export type Frame =
  /** `size` is the length of the line, so that a queue can count what it holds. */
  | { readonly kind: "message"; readonly message: Message; readonly size: number }
  /** Not JSON and not meant to be: the output of a wrapper script or a library. */
  | { readonly kind: "noise"; readonly text: string }
  /** A message that cannot be read. The lines after it are not affected. */
  | {
      readonly kind: "corrupt";
      readonly text: string;
      readonly error: HawserError;
      /** The output ended in the middle of this line. */
      readonly isCut?: boolean;
    };

/** Never throws. `mask` removes secrets from the text of an error. */
export function decodeLine(line: FramedLine, unterminated: boolean = false, mask?: Mask): Frame {
  if (typeof line === "string") return decodeText(line, unterminated, mask);
  if (line.kind === "broken") return decodeText(line.text, true, mask);
  const message = `A message of ${line.bytes} bytes is longer than \`maxLineBytes\` and was dropped.`;
  const text = `[a line of ${line.bytes} bytes]`;
  return { kind: "corrupt", text, error: new HawserError("message_too_large", message) };
}

const OPENING_BRACE = 0x7b;
const EXCERPT_LENGTH = 200;

/** Long enough to hold a whole secret that crosses the end of the excerpt, so that it is masked. */
const MASKED_LENGTH = 8192;

function decodeText(text: string, unterminated: boolean, mask: Mask | undefined): Frame {
  if (text.charCodeAt(textStart(text)) !== OPENING_BRACE) {
    return { kind: "noise", text: text.endsWith("\r") ? text.slice(0, -1) : text };
  }
  try {
    return { kind: "message", message: JSON.parse(text) as Message, size: text.length };
  } catch {
    // The message of JSON.parse is not used: it quotes a piece of the line, and a secret that is
    // cut in two is not recognised by the mask.
    const error = corruption(text, unterminated, mask);
    return { kind: "corrupt", text, error, ...(unterminated ? { isCut: true } : {}) };
  }
}

function corruption(text: string, unterminated: boolean, mask: Mask = hostMask()): HawserError {
  const what = unterminated
    ? "The output ended in the middle of a message"
    : "A line that begins like a message is not JSON";
  const excerpt = mask(text.slice(0, MASKED_LENGTH)).slice(0, EXCERPT_LENGTH);
  const more = text.length > EXCERPT_LENGTH ? "…" : "";
  return new HawserError("protocol_error", `${what}: ${excerpt}${more}`, {}, mask);
}
