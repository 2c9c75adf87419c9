/**
 * The start of a text, with secrets masked before it is cut: half a secret has no shape that a mask would know. The
 * work depends on `room` and not on the length of the text, unless it is full of secrets.
 */
export function maskedStart(text: string, room: number, mask: (text: string) => string): string {
  for (let window = room + MARGIN; window < text.length; window *= 2) {
    const masked = mask(text.slice(0, window));
    // A mask makes the text shorter. The last part of it may be half a secret.
    if (masked.length >= room + MARGIN / 2) return masked.slice(0, room);
  }
  return mask(text).slice(0, room);
}

/** The end of a text, with secrets masked before it is cut. */
export function maskedEnd(text: string, room: number, mask: (text: string) => string): string {
  for (let window = room + MARGIN; window < text.length; window *= 2) {
    const masked = mask(text.slice(-window));
    if (masked.length >= room + MARGIN / 2) return masked.slice(-room);
  }
  return mask(text).slice(-room);
}

/** Twice the length of the longest secret that is recognised: see the shapes of `SecretMask`. */
const MARGIN = 2 * 16_384;
