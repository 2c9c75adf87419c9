import { readFileSync, statSync } from "node:fs";

/** What is known of a file on disk: its text, or why its text is not known. */
export type FileState = "read" | "missing" | "not_a_file" | "too_large" | "binary" | "unreadable";

/** The text of a file, or why there is none. */
export interface FileText {
  readonly state: FileState;
  /** Empty unless the file was read. */
  readonly text: string;
  /** The size of a file that is too large. */
  readonly bytes?: number;
  /** The code of the operating system's error, if the file is unreadable. */
  readonly errno?: string;
}

/**
 * Reads a file that the model has named. A device or a pipe is not read, because reading it might never
 * end.
 */
export function readFileText(path: string): FileText {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { state: "not_a_file", text: "" };
    if (stat.size > LARGEST) return { state: "too_large", text: "", bytes: stat.size };
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? { state: "binary", text: "" } : { state: "read", text };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { state: "missing", text: "" };
    return { state: "unreadable", text: "", errno: code };
  }
}

/** In bytes. */
const LARGEST = 2_000_000;
