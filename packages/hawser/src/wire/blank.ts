/** Where the text of a line begins: its length if it is blank, as JSON and line ends count blanks. */
export function textStart(line: string): number {
  let at = 0;
  for (;;) {
    const code = line.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return at;
    at += 1;
  }
}
