import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Appends one line to a file that other programs append to as well. If the disk is full, only a
 * part of the line may be written. That part is overwritten with a blank line, because the next
 * line of another program would otherwise be joined to it, and both lines would be lost.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1, "\n");
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // A crash may have left a half line. Without a line break this line would be joined to it.
    const start = last.toString("latin1") === "\n" ? "" : "\n";
    const bytes = Buffer.from(`${start}${line}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
    } catch (error) {
      // Throw the error of the write, also if the part cannot be overwritten.
      if (written > 0) await overwriteWithBlanks(path, bytes.subarray(0, written)).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Overwrites the part in place, because that needs no room on the disk and, unlike truncating the
 * file, cannot remove lines that another program has appended meanwhile. It opens the file again,
 * because a handle that appends can write only at the end.
 */
async function overwriteWithBlanks(path: string, part: Buffer): Promise<void> {
  const file = await open(path, constants.O_RDWR);
  try {
    const at = (await file.stat()).size - part.length;
    const end = Buffer.alloc(part.length);
    await file.read(end, 0, part.length, at);
    // Equal bytes are this part: a whole line of another program ends with a line break, the part
    // not.
    if (!end.equals(part)) return;
    const blanks = Buffer.alloc(part.length, " ");
    blanks.write("\n", part.length - 1);
    await file.write(blanks, 0, blanks.length, at);
  } finally {
    await file.close();
  }
}
