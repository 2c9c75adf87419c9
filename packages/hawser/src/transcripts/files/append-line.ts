import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Appends one line to a file that other programs append to as well. On a disk that is full, a part of
 * the line may be written: that part is made a blank line, because the next line of another program
 * would otherwise be glued to it, and both would be lost.
 */
export async function appendWhole(path: string, line: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1, "\n");
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // A crash may have left a half line, which must not swallow this one.
    const start = last.toString("latin1") === "\n" ? "" : "\n";
    const bytes = Buffer.from(`${start}${line}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
    } catch (error) {
      // Why the line could not be written is the error to tell, whether the part can be blanked or not.
      if (written > 0) await blank(path, bytes.subarray(0, written)).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Overwrites the part in place: that needs no room on the disk, and unlike a cut it cannot remove what
 * another program has appended meanwhile. A handle that appends cannot write anywhere but at the end.
 */
async function blank(path: string, part: Buffer): Promise<void> {
  const file = await open(path, constants.O_RDWR);
  try {
    const at = (await file.stat()).size - part.length;
    const end = Buffer.alloc(part.length);
    await file.read(end, 0, part.length, at);
    // No whole line ends like this part, so the end of the file is this part.
    if (!end.equals(part)) return;
    const blanks = Buffer.alloc(part.length, " ");
    blanks.write("\n", part.length - 1);
    await file.write(blanks, 0, blanks.length, at);
  } finally {
    await file.close();
  }
}
